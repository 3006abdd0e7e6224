// Drags one slider from end to end and back, an event every `every` ms. At each end the slider beside it moves by one
// stop, so that no query comes twice. Each event that is answered is timed from the moment at which it was due, twice:
// until the frame with the answer is drawn (the first task after it), and until the next frame begins, when it is seen.
async ({ along, beside, every, milliseconds }) => {
  const slider = (name) => document.getElementById(`${name}-slider`);
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const due = new WeakMap(); // event to the time at which it was due
  const drawn = [];
  const seen = [];
  let last; // the newest event
  let shown; // the newest event whose answer is seen

  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    const event = ctx.sourceEvent;
    if (!due.has(event)) return;
    requestAnimationFrame(() => {
      const afterFrame = new MessageChannel();
      afterFrame.port1.onmessage = () => drawn.push(performance.now() - due.get(event));
      afterFrame.port2.postMessage("");
      requestAnimationFrame(() => {
        seen.push(performance.now() - due.get(event));
        shown = event;
      });
    });
  });

  function move(control, stop, time) {
    control.focus({ preventScroll: true });
    control.value = stop;
    last = new InputEvent("input", { bubbles: true });
    due.set(last, time);
    control.dispatchEvent(last);
  }

  const [first, second] = [slider(along), slider(beside)];
  let step = 1;
  let events = 0;
  const start = performance.now() + 100;
  for (let tick = 0; tick * every < milliseconds; tick++) {
    const time = start + tick * every;
    if (performance.now() > time + every) continue; // a browser merges the moves that a busy page missed
    await pause(Math.max(0, time - performance.now()));
    const next = +first.value + step;
    if (next >= 0 && next <= +first.max) {
      move(first, next, time);
    } else {
      step = -step;
      move(second, (+second.value + 1) % (+second.max + 1), time);
    }
    events += 1;
  }
  for (const end = performance.now() + 5000; shown !== last && performance.now() < end; ) await pause(20);
  return { events, drawn, seen, lastShown: shown === last };
}
