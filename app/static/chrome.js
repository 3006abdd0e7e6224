// The header's buttons: copy link, presenter view, theme.
import { notice } from "./show.js";

const root = document.documentElement;
const present = document.getElementById("present");

document.getElementById("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    notice("Link copied.");
  } catch {
    notice(`The browser does not let a page copy here; the link is ${location.href}`);
  }
});

present.setAttribute("aria-pressed", String("present" in root.dataset));
present.addEventListener("click", () => {
  const on = root.toggleAttribute("data-present");
  present.setAttribute("aria-pressed", String(on));
  if (on) sessionStorage.setItem("present", "yes");
  else sessionStorage.removeItem("present");
});

document.getElementById("theme").addEventListener("click", () => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const now = root.dataset.theme ?? system;
  root.dataset.theme = now === "dark" ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});
