/** The file is not an image that can be decoded: it is broken, empty or of an unknown kind. */
export class UndecodableImage extends Error {
  override name = 'UndecodableImage';
}
