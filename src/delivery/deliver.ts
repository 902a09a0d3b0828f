import type { Client } from '../client.ts';
import { badRequest, HttpProblem, unavailable } from '../errors.ts';
import type { MediaType } from '../media.ts';
import type { StoragePath } from '../path.ts';
import { BlobNotFound } from '../storage/blob-store.ts';
import type { VariantInput } from '../storage/cache/variant-key.ts';
import type { Variant } from '../storage/cache/variant-store.ts';
import type { OriginalStat } from '../storage/originals.ts';
import type { AdmitFile } from './file-access.ts';
import type { FetchMissing, FindOriginal } from './find-original.ts';
import { createImageRenderer, type ImageRenderer } from './image-renderer.ts';
import { type FindInputs, inputsWith } from './inputs.ts';
import { type ImageRendering, isTooLarge, type TooLarge } from './render-into-cache.ts';
import { type RequestedImage, requestedImage } from './requested-image.ts';
import type { Playlist, Playlists } from './streaming/playlists.ts';
import { requestedTranscode, statusUrl, type Transcodes } from './transcodes.ts';
import { type DeliveryRequest, type ReadableRequest, type Transformation, untransformable } from './url.ts';

/** The redirect that has led to a file. */
export interface FollowedRedirect {
  /** The missing path that was requested. */
  from: StoragePath;
  /** The transformation as written, decoded; empty if there is none. */
  segment: string;
}

export type Delivery = AnyDelivery & {
  /** Undefined where the file is at the requested path. */
  redirect?: FollowedRedirect;
};

/** What is delivered, other than the state of a transcode. */
export type Delivered = Exclude<Delivery, { kind: 'pending' }>;

/** Returns the missing paths whose redirects have led to the files of a response. */
export function previousPathsOf(delivery: Delivered): StoragePath[] {
  const layers = delivery.kind === 'original' ? [] : delivery.layers;
  const previous = [delivery.redirect?.from, ...layers.map(({ redirectedFrom }) => redirectedFrom)];
  return previous.filter((from) => from !== undefined);
}

/** Returns the files of a response to which redirects have led. */
export function redirectedFilesOf(delivery: Delivered): StoragePath[] {
  const layers = delivery.kind === 'original' ? [] : delivery.layers;
  const files = layers.filter(({ redirectedFrom }) => redirectedFrom !== undefined).map(({ path }) => path);
  return delivery.redirect ? [delivery.path, ...files] : files;
}

type AnyDelivery =
  | {
      kind: 'original';
      path: StoragePath;
      type: MediaType;
      stat: OriginalStat;
      /** True if the file's bytes do not allow the requested transformation. */
      isFallback: boolean;
    }
  | {
      kind: 'variant';
      path: StoragePath;
      variant: Variant;
      stat: OriginalStat;
      /** True if the variant was in the cache. */
      isHit: boolean;
      /** True if the `Accept` header influenced the format. */
      isNegotiated: boolean;
      /** Files laid over the image. */
      layers: readonly VariantInput[];
    }
  | {
      /** The client already has this variant, so it is not rendered. */
      kind: 'unchanged';
      path: StoragePath;
      key: string;
      stat: OriginalStat;
      isNegotiated: boolean;
      layers: readonly VariantInput[];
    }
  | {
      /** A video that is being transcoded. */
      kind: 'pending';
      statusUrl: string;
    }
  | {
      kind: 'playlist';
      path: StoragePath;
      stat: OriginalStat;
      playlist: Playlist;
      layers: readonly VariantInput[];
    };

export interface Delivering extends ImageRendering {
  transcodes: Transcodes;
  findOriginal: FindOriginal;
  findInputs: FindInputs;
  playlists: Playlists;
  fetchMissing: FetchMissing | undefined;
}

/** Client of a request. The signal is only created if the request has to wait. */
export interface Visitor {
  accept: string | undefined;
  signal(): AbortSignal | undefined;
  /** True if the client holds the variant with this key, made from an original of this date. */
  holds(key: string, modifiedAt: Date): boolean;
  /** Priority of a transcode that has to be queued. */
  priority: 'visitor' | 'upload';
  /** Client that the work is charged to. */
  client: Client;
  /** Admits the request to each file that it names; by default to every file. */
  admit?: AdmitFile | undefined;
}

export type Deliver = (request: DeliveryRequest, visitor: Visitor) => Promise<Delivery>;

/** Most renders of an image that is replaced meanwhile. Then the client has to retry. */
const MAX_RENDERS = 3;

/**
 * Creates the central function of the service: it resolves a request to the original, to a variant, rendered at most
 * once for any number of clients, or to a running transcode.
 * @throws HttpProblem 404; 400 for an impossible transformation; 422 for an unreadable video; 503 when rendering is
 * overloaded or fails
 */
export function createDeliver(delivering: Delivering): Deliver {
  const deliveries = new Deliveries(delivering);
  return (request, visitor) => deliveries.deliver(request, visitor);
}

class Deliveries {
  readonly #services: Delivering;
  readonly #images: ImageRenderer;

  constructor(services: Delivering) {
    this.#services = services;
    this.#images = createImageRenderer(services);
  }

  async deliver(requested: DeliveryRequest, visitor: Visitor): Promise<Delivery> {
    const { originals, findOriginal, fetchMissing } = this.#services;
    // The bytes of an original are read fresh from the store, so its size and version must be fresh too.
    const readStat = async ({ path, transformation }: DeliveryRequest) =>
      (await (transformation ? originals.stat(path) : originals.current(path))) ??
      fetchMissing?.(path, visitor.signal());
    for (let attempt = 1; attempt <= MAX_RENDERS; attempt++) {
      const { request, stat, redirectedFrom: from } = await findOriginal(requested, readStat, visitor.admit);
      const { path, type, segment, transformation } = request;
      const redirect = from === undefined ? {} : { redirect: { from, segment } };
      if (!transformation) return { kind: 'original', path, type, stat, isFallback: false, ...redirect };
      if (transformation.kind === 'impossible') throw untransformable(path, type);
      const delivery = await this.#deliverTransformed(request, transformation, stat, visitor);
      if (delivery !== 'replaced') return { ...delivery, ...redirect };
    }
    throw unavailable(`"${requested.path}" kept changing while it was rendered. Retry later.`, 'overloaded', 1);
  }

  #deliverTransformed(
    request: ReadableRequest,
    transformation: Exclude<Transformation, { kind: 'impossible' }>,
    stat: OriginalStat,
    visitor: Visitor,
  ): Promise<Delivery | 'replaced'> {
    switch (transformation.kind) {
      case 'picture':
        return this.#deliverImage(request, transformation, stat, visitor);
      case 'transcode':
        return this.#deliverTranscode(request, transformation, stat, visitor);
      case 'playlist':
        return this.#deliverPlaylist(request, transformation, stat, visitor);
    }
  }

  /** Skips negotiated formats for which the image is too large. */
  async #deliverImage(
    request: ReadableRequest,
    image: Extract<Transformation, { kind: 'picture' }>,
    stat: OriginalStat,
    visitor: Visitor,
  ): Promise<Delivery | 'replaced'> {
    const subject = { path: request.path, version: stat.etag };
    const { layers, ...original } = await this.#services.findInputs(subject, image.options, visitor.admit);
    const inputs = inputsWith(original, layers);
    const { fonts } = layers;
    const excluded: string[] = [];
    for (;;) {
      const requested = requestedImage(inputs, image, visitor.accept, { excluded, focal: stat.focal, fonts });
      const delivery =
        this.#images.knownTooLarge(requested) ??
        (await this.#deliverRequested(request, requested, { stat, layers: layers.files }, visitor));
      if (!isTooLarge(delivery)) return delivery;
      if (!requested.isNegotiated) throw badRequest(delivery.tooLarge, 'limit_exceeded');
      excluded.push(requested.format);
    }
  }

  async #deliverRequested(
    { path, type }: ReadableRequest,
    requested: RequestedImage,
    { stat, layers }: { stat: OriginalStat; layers: readonly VariantInput[] },
    visitor: Visitor,
  ): Promise<Delivery | TooLarge | 'replaced'> {
    const { key, isNegotiated } = requested;
    const { variants } = this.#services;
    const found = { kind: 'variant', path, stat, isNegotiated, layers } as const;
    const cached = variants.peek(key) ?? (await variants.get(path, key, requested.files));
    if (cached) return { ...found, variant: cached, isHit: true };
    if (visitor.holds(key, stat.modifiedAt)) return { kind: 'unchanged', path, key, stat, isNegotiated, layers };
    const rendered = await this.#images.render(requested, visitor.signal(), visitor.client);
    if (rendered === 'replaced' || isTooLarge(rendered)) return rendered;
    if (rendered === 'undecodable') {
      await admitFallback(path, visitor);
      return { kind: 'original', path, type, stat, isFallback: true };
    }
    return { ...found, variant: rendered, isHit: false };
  }

  async #deliverTranscode(
    { path, segment }: ReadableRequest,
    { options }: Extract<Transformation, { kind: 'transcode' }>,
    stat: OriginalStat,
    visitor: Visitor,
  ): Promise<Delivery | 'replaced'> {
    const { originals, transcodes, findInputs } = this.#services;
    const inputs = await findInputs({ path, version: stat.etag }, options, visitor.admit);
    const requested = requestedTranscode(inputs, options, visitor.accept);
    const ready = await transcodes.find(requested);
    const { isNegotiated } = requested;
    const layers = inputs.layers.files;
    const found = { kind: 'variant', path, stat, isHit: true, isNegotiated, layers } as const;
    if (ready) return { ...found, variant: ready };
    if (visitor.holds(requested.key, stat.modifiedAt)) {
      return { kind: 'unchanged', path, key: requested.key, stat, isNegotiated, layers };
    }
    // The job must be for the current bytes.
    if ((await originals.check(path))?.etag !== stat.etag) return 'replaced';
    const result = await transcodes.variantOrJob(requested, visitor);
    if ('job' in result) return { kind: 'pending', statusUrl: statusUrl(segment, path) };
    return { ...found, variant: result.variant };
  }

  async #deliverPlaylist(
    { path, segment }: ReadableRequest,
    { options }: Extract<Transformation, { kind: 'playlist' }>,
    stat: OriginalStat,
    visitor: Visitor,
  ): Promise<Delivery | 'replaced'> {
    try {
      const inputs = await this.#services.findInputs({ path, version: stat.etag }, options, visitor.admit);
      const playlist = await this.#services.playlists.find(inputs, options, visitor);
      if (playlist === 'pending') return { kind: 'pending', statusUrl: statusUrl(segment, path) };
      return { kind: 'playlist', path, stat, playlist, layers: inputs.layers.files };
    } catch (error) {
      if (error instanceof BlobNotFound) return 'replaced';
      throw error;
    }
  }
}

/** Without a right to stored bytes, an undecodable image cannot be answered by them. @throws HttpProblem 422 */
async function admitFallback(path: StoragePath, { admit }: Visitor): Promise<void> {
  try {
    await admit?.(path, 'original');
  } catch (cause) {
    if (!(cause instanceof HttpProblem) || ![401, 403].includes(cause.status)) throw cause;
    const message = `"${path}" cannot be decoded, and its stored bytes are protected.`;
    throw new HttpProblem('unprocessable_media', message, { cause });
  }
}
