(() => {
  const tools = document.getElementById("tools");
  if (!tools) return;
  const cases = [...document.querySelectorAll("details.case")];
  const text = new Map();
  const words = (one) => {
    if (!text.has(one)) text.set(one, one.textContent.toLowerCase());
    return text.get(one);
  };
  const [search, family, outcome] = ["find", "family", "outcome"].map((id) => document.getElementById(id));
  const count = document.getElementById("matching");
  const apply = () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const one of cases) {
      const fits =
        (!family.value || one.dataset.family === family.value) &&
        (!outcome.value || one.dataset.tags.split(" ").includes(outcome.value)) &&
        (!wanted || words(one).includes(wanted));
      one.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${cases.length} shown`;
  };
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 150);
  });
  family.addEventListener("change", apply);
  outcome.addEventListener("change", apply);
  document.getElementById("open").addEventListener("click", () => {
    const some = cases.filter((one) => !one.hidden);
    const close = some.every((one) => one.open);
    for (const one of some) one.open = !close;
  });
  tools.hidden = false;
})();
