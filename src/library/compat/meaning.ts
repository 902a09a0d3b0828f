import type { Refusal } from '@darkroom/url-translators/refusal';
import type { DeliveryRequest } from '../../delivery/url.ts';
import type { StoragePath } from '../../path.ts';

/** What a URL of another service asks for, in our words. */
export interface Meaning {
  kind: 'meant';
  /** The file; as it would be called where there is none. */
  path: StoragePath;
  isFound: boolean;
  /** The transformation, decoded; empty for the original. */
  segment: string;
  transformation: DeliveryRequest['transformation'];
  /** What was left out. */
  ignored: readonly string[];
  /** What has become something similar. */
  approximate: readonly { part: string; reason: string }[];
  /** Whether the URL was found to mean these files a moment ago. */
  isStill(): boolean;
}

/** A file as another service has it. */
export interface Original {
  /** Where it can be fetched. */
  url: string;
  /** The folder that it is to be in; empty for the root. */
  folder: string;
}

/** Reads URLs of another service. It makes nothing. */
export interface ForeignUrls {
  /**
   * @param url whole, or from its path on
   * @throws HttpProblem 400 for a path that no file can have
   */
  read(url: string): Promise<Meaning | Refusal>;
  /** What is to be moved so that the URL can be answered here; undefined for what is no URL of the service. */
  originalOf(url: string): Original | undefined;
}
