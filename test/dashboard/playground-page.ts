import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestService } from '../service.ts';
import { openWindow, type Window } from './browser.ts';

/** The address of a file in the playground. @param query further parameters, as `&look=crop` */
export const addressIn = ({ url }: Pick<TestService, 'url'>, path: string, segment = '', query = ''): string =>
  `${url}/dashboard/playground/${encodeURI(path)}?t=${encodeURIComponent(segment)}${query}`;

/** Opens an address of the playground, and waits until something is on its stage. */
export async function openStage(address: string, options: Parameters<typeof openWindow>[0]): Promise<Window> {
  const window = await openWindow(options);
  await window.page.goto(address);
  await window.page.locator('img[alt="Result"], .film video, .overlay').first().waitFor();
  return window;
}

/** The transformation in the bar. */
export const segmentOf = (page: Page) => page.getByLabel('Transformation').inputValue();

/** Waits until a property of the result has a text. */
export const isFact = (page: Page, name: string, text: string) =>
  expect.poll(() => page.locator(`[data-fact="${name}"]`).textContent()).toBe(text);
