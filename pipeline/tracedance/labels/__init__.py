"""What people say: a blind sample to label, their labels taken in, and what they say of requests, instances, rubrics and judges."""
