interface Pausable {
  pause(): void;
  resume(): void;
}

/** Messages from one socket in a row before the others are read. */
const MAX_RUN = 256;
const AT_ONCE = 16;

let latest: Pausable | undefined;
let run = 0;
const paused = new Set<Pausable>();

/**
 * Counts a message. Node reads megabytes from one socket before the next, so a peer that floods
 * small messages would starve the others: after a run of messages it is paused until they were
 * read.
 */
export function noteRead(socket: Pausable): void {
  if (socket !== latest) {
    latest = socket;
    run = 0;
  }
  run += 1;
  if (run < MAX_RUN) return;
  run = 0;
  socket.pause();
  if (paused.size === 0) setImmediate(resumeSome);
  paused.add(socket);
}

function resumeSome(): void {
  let left = AT_ONCE;
  for (const socket of paused) {
    if (left === 0) break;
    left -= 1;
    paused.delete(socket);
    socket.resume();
  }
  if (paused.size > 0) setImmediate(resumeSome);
}
