import type { components, operations } from '../../../packages/client/src/api-types.ts';

type Schemas = components['schemas'];

export type ApiKey = Schemas['ApiKey'];
export type Asset = Schemas['Asset'];
export type FileVersion = Schemas['FileVersion'];
export type Job = Schemas['Job'];
export type Parameter = Schemas['Parameter'];
export type Space = Schemas['Space'];
export type StoredFile = Schemas['StoredFile'];
export type TrashItem = Schemas['TrashItem'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } } ? Json : never;
type SuccessOf<Responses> = JsonOf<Responses[Extract<keyof Responses, 200 | 201 | 202 | 207>]>;

/** JSON body of each operation on success. */
export type Answers = { [Id in keyof operations]: SuccessOf<operations[Id]['responses']> };
