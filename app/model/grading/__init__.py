"""Interview practice: seeded cases, the chain of numbers asked, and what a wrong number tells."""
