/** An error that a page may show as it is. Any other error is a fault of the bridge and is reported as such. */
export class ViewError extends Error {
  override readonly name = "ViewError";
}
