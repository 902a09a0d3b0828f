import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../audit/audit-entry.ts';
import { INSTALLATION } from '../../installation.ts';

const actors = new WeakMap<IncomingMessage, Actor>();

/** Records whose valid credentials a request presented, for the audit log and for usage. */
export function noteActor({ raw }: Pick<FastifyRequest, 'raw'>, { type, id, name }: Actor): void {
  actors.set(raw, { type, id, name });
}

/** The holder of the verified credentials of a request; undefined without any, or where none were needed. */
export function actorOf(request: IncomingMessage): Actor | undefined {
  return actors.get(request);
}

const spaces = new WeakMap<IncomingMessage, string>();

/** Records the space that a request is in. */
export function noteSpace(request: IncomingMessage, space: string): void {
  spaces.set(request, space);
}

/** Returns the id of the space that a request is in; empty for the library. */
export function spaceOfMessage(request: IncomingMessage): string {
  return spaces.get(request) ?? INSTALLATION;
}

const sessionSpaces = new WeakMap<IncomingMessage, string>();

/** Records the only space in which the session of a request is valid, or one that it begins; empty for every one. */
export function noteSessionSpace({ raw }: Pick<FastifyRequest, 'raw'>, space: string): void {
  sessionSpaces.set(raw, space);
}

/** Returns the space to whose audit log the sessions and the account of a request belong. */
export function sessionSpaceOf(request: IncomingMessage): string {
  return sessionSpaces.get(request) ?? INSTALLATION;
}

/** Holder of valid credentials that are not good in the space of the request. */
export interface Outsider {
  actor: Actor;
  /** The space that the credentials belong to; empty for the installation. */
  space: string;
}

const outsiders = new WeakMap<IncomingMessage, Outsider>();

/** Records an outsider, for the entry of a refusal: the space of the request must not learn who it was. */
export function noteOutsider(
  { raw }: Pick<FastifyRequest, 'raw'>,
  { actor: { type, id, name }, space }: Outsider,
): void {
  outsiders.set(raw, { actor: { type, id, name }, space });
}

export function outsiderOf(request: IncomingMessage): Outsider | undefined {
  return outsiders.get(request);
}
