import type { Refusal } from '@darkroom/url-translators/refusal';
import type { DeliveryRequest } from '../../delivery/url.ts';
import type { StoragePath } from '../../path.ts';

/** Parsed URL of another service. */
export interface Meaning {
  kind: 'meant';
  /** Path of the file, which may not exist. */
  path: StoragePath;
  isFound: boolean;
  /** Transformation, decoded; empty for the original. */
  segment: string;
  transformation: DeliveryRequest['transformation'];
  /** Ignored parts. */
  ignored: readonly string[];
  /** Parts with a similar result. */
  approximate: readonly { part: string; reason: string }[];
  /** Returns true if the URL still stands for these files. */
  isStill(): boolean;
}

/** Original at another service. */
export interface Original {
  /** Source URL. */
  url: string;
  /** Destination folder; empty for the root. */
  folder: string;
}

/** Reads URLs of another service, without side effects. */
export interface ForeignUrls {
  /**
   * @param url whole, or from its path on
   * @throws HttpProblem 400 for an impossible path
   */
  read(url: string): Promise<Meaning | Refusal>;
  /** Returns the original behind a URL, for an import; undefined for URLs of other services. */
  originalOf(url: string): Original | undefined;
}
