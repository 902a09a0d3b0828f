/** The file is not a decodable image: it is broken, empty or of an unknown kind. */
export class UndecodableImage extends Error {
  override name = 'UndecodableImage';
}
