/** Turns a thrown error into a rejection. Takes less than an async function that returns a promise. */
export function attempt<T>(run: () => Promise<T>): Promise<T> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error);
  }
}
