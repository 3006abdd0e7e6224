// The walkthrough's keys, and the mark on its number line. Every page works without this; all texts come from the server.
import { followRange } from "./controls.js";

const TARGETS = {
  ArrowRight: 'a[rel="next"]', n: 'a[rel="next"]',
  ArrowLeft: 'a[rel="prev"]', p: 'a[rel="prev"]',
  s: "#skip", Enter: "[data-go]",
};

document.addEventListener("input", (event) => {
  if (event.target.type === "range") followRange(event.target);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=range])");
  const own = event.key === "Enter" ? event.target.closest("a, button, summary") : false;
  if (typing || own || (event.key.startsWith("Arrow") && event.target.matches("[type=range], [tabindex]"))) return;
  const target = document.querySelector(TARGETS[event.key] ?? TARGETS[event.key.toLowerCase()] ?? "no-such-key");
  if (!target) return;
  event.preventDefault();
  target.click();
});

document.querySelector(".steps [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
