/** Something that can be read no further for a while. */
interface Pausable {
  pause(): void;
  resume(): void;
}

/** Messages of one socket, one directly behind the other, after which others have their turn. */
const MAX_RUN = 256;
/** Sockets that go on in one turn of the event loop. */
const AT_ONCE = 16;

let latest: Pausable | undefined;
let run = 0;
const resting = new Set<Pausable>();

/**
 * Takes notice of a message. Node reads megabytes from one socket before it looks at the next, so a peer
 * that sends small messages without end would hold everybody up for as long as it takes to read them: it
 * rests until the others were read.
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
  if (resting.size === 0) setImmediate(goOn);
  resting.add(socket);
}

function goOn(): void {
  let left = AT_ONCE;
  for (const socket of resting) {
    if (left === 0) break;
    left -= 1;
    resting.delete(socket);
    socket.resume();
  }
  if (resting.size > 0) setImmediate(goOn);
}
