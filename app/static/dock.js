// On a phone, and before a class, one input at a time: the one used last, with its neighbours.
const form = () => document.getElementById("workload");
const fields = () => [...document.querySelectorAll("#workload .field[data-name]")];
const labelOf = (field) => field.querySelector("label, legend").textContent;
let name = "gpus";

function choose(field) {
  const all = fields();
  const at = all.indexOf(field);
  if (at < 0) return;
  name = field.dataset.name;
  for (const other of all) other.classList.toggle("current", other === field);
  document.getElementById("dock-previous").textContent = `‹ ${labelOf(all.at(at - 1))}`;
  document.getElementById("dock-next").textContent = `${labelOf(all[(at + 1) % all.length])} ›`;
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
  if (event.target.id === "dock-previous") walk(-1);
  if (event.target.id === "dock-next") walk(1);
  if (event.target.id !== "dock-all") return;
  const open = form().classList.toggle("sheet");
  event.target.setAttribute("aria-expanded", String(open));
  choose(chosen());
});

choose(chosen());
