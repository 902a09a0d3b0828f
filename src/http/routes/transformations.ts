import { z } from 'zod';
import { listParameters } from '../../delivery/parameters.ts';
import { hasPermission } from '../admission/guards.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const texts = z.array(z.string()).readonly();
const auto = z.literal(true).optional().describe('The value `auto` is accepted as well.');

const shape = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.enum(['integer', 'decimal']),
      min: z.number(),
      max: z.number().describe('Inclusive.'),
      unit: z.enum(['pixels', 'degrees', 'seconds']).optional(),
      auto,
    }),
    z.object({ kind: z.literal('choice'), values: texts, auto }),
    z.object({ kind: z.enum(['colour', 'ratio', 'corners', 'boolean', 'text']), auto }),
  ])
  .meta({ id: 'ParameterShape' });

const parameter = z
  .object({
    key: z.string().describe('Key in a URL, before the separator.'),
    aliases: texts.describe('Other keys.'),
    separator: z.enum(['_', ':']).describe('Separator of key and value.'),
    name: z.string(),
    summary: z.string().describe('Markdown.'),
    forms: z.string().describe('Syntax of its values, in Markdown.'),
    default: z.string().optional().describe('Value if the parameter is absent.'),
    alone: z.string().optional().describe('Value of the key without a value; absent if the key needs one.'),
    examples: texts.describe('Transformations.'),
    shape,
  })
  .meta({ id: 'Parameter' });

const preset = z.object({ name: z.string().describe('In a URL: n_<name>.'), transformation: z.string() });

const answer = z.object({
  image: z.array(parameter).describe('Parameters of images, in the order of their effects.'),
  video: z.array(parameter).describe('Parameters of videos, in the order of their effects.'),
  layer: z.array(parameter).describe('Parameters of an image layer: `~l_` and its path.'),
  text: z.array(parameter).describe('Parameters of a text layer: `~l_text:` and the text.'),
  presets: z
    .array(preset)
    .describe('Empty without the permission "read" if only signed URLs are delivered (DELIVERY_MODE=signed).'),
});

/** `GET /transformations`: parameters of the URL language and presets, for programs that build a form. */
export function transformationRoutes({ services }: RouteContext): readonly Endpoint[] {
  const { config } = services;
  const isPrivate = config.http.deliveryMode === 'signed';
  const presets = Object.entries(config.limits.presets ?? {}).map(([name, transformation]) => ({
    name,
    transformation,
  }));
  const parameters = listParameters(config.limits);
  return [
    defineEndpoint('GET /transformations', {
      access: 'public',
      limit: 'public',
      isDelivery: false,
      openapi: { id: 'listTransformations', tag: 'Delivery', summary: 'Parameters of transformations.' },
      // Shared caches must not serve one client's response to another.
      noStore: isPrivate,
      schemas: { response: { 200: answer } },
      async handle(request, reply) {
        const mayRead = !isPrivate || (await hasPermission(request, reply, services, 'read'));
        return { ...parameters, presets: mayRead ? presets : [] };
      },
    }),
  ];
}
