// On a phone, and before a class, one input at a time: the one used last, with its neighbours.
const form = () => document.getElementById("workload");
const fields = () => [...document.querySelectorAll("#workload .field[data-name]")];
const labelOf = (field) => field.querySelector("label, legend").textContent;
let name = "gpus";

function label(id, text) {
  const button = document.getElementById(id);
  button.querySelector("span").textContent = text;
  button.setAttribute("aria-label", text);
}

function choose(field) {
  const all = fields();
  const at = all.indexOf(field);
  if (at < 0) return;
  name = field.dataset.name;
  for (const other of all) other.classList.toggle("current", other === field);
  label("dock-previous", labelOf(all.at(at - 1)));
  label("dock-next", labelOf(all[(at + 1) % all.length]));
  document.getElementById("dock-all").textContent = openSheet() ? "close" : `all ${all.length} inputs`;
}

const openSheet = () => form().classList.contains("sheet");
const chosen = () => fields().find((field) => field.dataset.name === name);

function walk(step) {
  const all = fields();
  choose(all.at((all.indexOf(chosen()) + step) % all.length));
}

document.addEventListener("input", (event) => choose(event.target.closest(".field[data-name]")), true);
document.addEventListener("focusin", (event) => choose(event.target.closest(".field[data-name]")));
document.addEventListener("lab:form", () => choose(chosen()));
document.addEventListener("click", (event) => {
  const pressed = event.target.closest(".dock-nav button")?.id;
  if (pressed === "dock-previous") walk(-1);
  if (pressed === "dock-next") walk(1);
  if (pressed !== "dock-all") return;
  const open = form().classList.toggle("sheet");
  document.getElementById(pressed).setAttribute("aria-expanded", String(open));
  choose(chosen());
});

choose(chosen());
