"""Texts that attack whoever looks at them: markup, scripts, terminals, the order of letters."""

XSS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</style><script>alert(3)</script>",
    "</title><script>alert(4)</script>",
    "</pre></mark><img src=x onerror=alert(5)>",
    "\"><img src='http://127.0.0.1:9/x' onerror='alert(6)'>",
    "'><svg/onload=alert(7)>",
    "<svg><script>alert(8)</script></svg>",
    "<iframe src='javascript:alert(9)'></iframe>",
    "<iframe srcdoc='&lt;script&gt;alert(10)&lt;/script&gt;'></iframe>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(11)>",
    "<a href='javascript:alert(12)' autofocus onfocus=alert(12)>x</a>",
    "<details open ontoggle=alert(13)>",
    "<input autofocus onfocus=alert(14)>",
    "<body onload=alert(15)>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<base href='http://127.0.0.1:9/'>",
    "<link rel=stylesheet href='http://127.0.0.1:9/x.css'>",
    "<style>@import 'http://127.0.0.1:9/y.css';</style>",
    "<object data='data:text/html,<script>alert(16)</script>'></object>",
    "<video src=http://127.0.0.1:9/v onerror=alert(17)></video>",
    "<!--><script>alert(18)</script>-->",
    "<![CDATA[<script>alert(19)</script>]]>",
    "&lt;script&gt;alert(20)&lt;/script&gt; &#60;script&#62;alert(21)&#60;/script&#62;",
    "<template><script>alert(22)</script></template><noscript><p title='</noscript><img src=x onerror=alert(23)>'>",
    "{{ 7*7 }} {% for x in ().__class__.__base__.__subclasses__() %} ${7*7} #{7*7}",
    "javascript:alert(24) data:text/html,<script>alert(25)</script> http://127.0.0.1:9/auto www.example.invalid",
    '__proto__ constructor "\\u003cscript\\u003ealert(26)\\u003c/script\\u003e" \\x3cimg src=x onerror=alert(27)\\x3e',
    "![x](http://127.0.0.1:9/i.png) [x](javascript:alert(28)) <http://127.0.0.1:9/> | a | b |",
)
ANSI = (
    "\x1b[2J\x1b[H\x1b[31mred",
    "\x1b]8;;http://127.0.0.1:9/\x07link\x1b]8;;\x07",
    "\x1b]52;c;YWxlcnQ=\x07",
    "\x1bP1$r\x1b\\ \x9b31m \x9d0;title\x9c \x00 \x07 \x08 \x7f",
    "::error file=x::forged\r\n\u2028::set-output name=a::b",
)
BIDI = (
    "\u202egnp.exe \u2066\u2069 \u2067x\u2069 \u061c \u200f \u200e",
    "\ufeff\u2060\u180e \u00ad \u2028 \u2029 \u0085 \ufff9a\ufffab\ufffb",
    "\U000e0041\U000e0042 a\u0301\u0301\u0301 \u05d0\u05d1 \u0627\u0644",
)
CORPUS = (*XSS, *ANSI, *BIDI)
EVERYTHING = " ".join(CORPUS)
