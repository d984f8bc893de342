/** What a page is told in a sentence. Any other error is a fault of the bridge and told as that. */
export class ViewError extends Error {
  override readonly name = "ViewError";
}
