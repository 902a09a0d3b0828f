import { type Asking, ask, fixture } from '../http.ts';
import { listen } from '../listener.ts';
import { BYTES, metadata, pathOf, TUS } from '../tus.ts';
import { ADMIN, BOTH, type Bordered, CANARY, FILM, KNOWN, OUTER } from './bordered.ts';

/** Requests of the space, and what each has to give there. @returns what is wrong, or nothing */
type Check = (bordered: Bordered) => Promise<string | undefined>;

const JSON_TYPE = { 'content-type': 'application/json' };

function callers({ service: { url }, key }: Bordered) {
  const asked = async (path: string, asking: Asking) => {
    const { status, body, headers } = await ask(url, path, asking);
    const text = body.toString('latin1');
    return { status, text, headers, data: text.startsWith('{') ? JSON.parse(text) : {} };
  };
  const withJson = (body: object | undefined, headers: object) => ({
    headers: { ...headers, ...(body && JSON_TYPE) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    inside: (method: string, path: string, body?: object) =>
      asked(`/b/mine${path}`, { method, ...withJson(body, { 'x-api-key': key }) }),
    library: (method: string, path: string, body?: object) => asked(path, { method, ...withJson(body, ADMIN) }),
    stranger: (path: string) => asked(path, {}),
  };
}

const unless = (isRight: boolean, what: string) => (isRight ? undefined : what);

export const OWN_CHECKS: Record<string, Check> = {
  async 'an upload is stored in the folder of the space, and has a URL of the space'(bordered) {
    const { service, key } = bordered;
    const { library } = callers(bordered);
    const form = new FormData();
    form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), 'new.png');
    const sent = { method: 'POST', body: form, headers: { 'x-api-key': key } };
    const response = await fetch(`${service.url}/b/mine/upload`, sent);
    const text = await response.text();
    const stored = await library('GET', `/t/${OUTER}/new.png`);
    return unless(text.includes('"/b/mine/t/new.png"') && stored.status === 200, `${text} ${stored.status}`);
  },
  async 'its variants are delivered, again and again'(bordered) {
    const { stranger } = callers(bordered);
    for (let n = 0; n < 3; n++) {
      const { status } = await stranger('/b/mine/t/w_11/own.png');
      if (status !== 200) return `A variant: ${status}`;
    }
    return undefined;
  },
  async 'its private folders are closed'(bordered) {
    const { inside, stranger } = callers(bordered);
    await inside('PATCH', '/spaces/mine', { privateFolders: ['closed'] });
    const { status } = await stranger('/b/mine/t/w_10/closed/a.png');
    return unless(status === 401, `A private folder: ${status}`);
  },
  async 'its delivery mode counts'(bordered) {
    const { inside, stranger } = callers(bordered);
    await inside('PATCH', '/spaces/mine', { delivery: 'signed' });
    const { status } = await stranger('/b/mine/t/w_14/own.png');
    await inside('PATCH', '/spaces/mine', { delivery: null });
    return unless(status === 401, `Without a signature: ${status}`);
  },
  async 'its usage counts its own files'(bordered) {
    const { inside, stranger } = callers(bordered);
    const delivered = async () => (await inside('GET', '/usage')).data.total?.deliveredBytes as number;
    const before = await delivered();
    // The later ones are hits.
    let bytes = 0;
    for (let n = 0; n < 3; n++) bytes += (await stranger('/b/mine/t/w_12/own.png')).text.length;
    const after = await delivered();
    return unless(after === before + bytes, `Delivered: ${before}, then ${after}`);
  },
  async 'its health counts its own files'(bordered) {
    const { data, text } = await callers(bordered).inside('GET', '/health');
    // Three, and the one of the first check.
    return unless([3, 4].includes(data.catalog?.files), text);
  },
  async 'an upload of the library cannot be resumed'(bordered) {
    const { service, key } = bordered;
    const head = { ...TUS, ...ADMIN, 'upload-length': 10, 'upload-metadata': metadata({ filename: 'later.png' }) };
    const begun = await ask(service.url, '/upload/resumable', { method: 'POST', headers: head });
    const found = await ask(service.url, `/b/mine${pathOf(begun)}`, {
      method: 'HEAD',
      headers: { ...TUS, 'x-api-key': key },
    });
    const sent = await ask(service.url, `/b/mine${pathOf(begun)}`, {
      method: 'PATCH',
      headers: { ...TUS, ...BYTES, 'x-api-key': key, 'upload-offset': 0 },
      body: Buffer.alloc(10),
    });
    return unless(found.status === 404 && sent.status === 404, `A resumable upload: ${found.status}, ${sent.status}`);
  },
  async 'its redirects are followed, and not those of the library'(bordered) {
    const { inside, library, stranger } = callers(bordered);
    await inside('POST', '/redirects', { from: 'was.png', to: 'own.png' });
    // There is a file of this name in the space too.
    await library('POST', '/redirects', { from: 'moved.png', to: BOTH });
    const found: number[] = [];
    for (const path of ['t/w_13/was.png', 'download/was.png', 't/w_13/moved.png', 'download/moved.png'])
      found.push((await stranger(`/b/mine/${path}`)).status);
    return unless(`${found}` === '200,200,404,404', `Redirects: ${found}`);
  },
  async 'its tickets are good in it alone'(bordered) {
    const { inside, stranger } = callers(bordered);
    // There is a file of this name in the library too.
    const { data, text } = await inside('POST', '/download-zip/ticket', { items: [{ path: BOTH }] });
    const path = String(data.url ?? '').replace(/^.*\/b\/mine/, '');
    const { status } = await stranger(path);
    return unless(path.startsWith('/download-zip/') && status === 404, `A ticket: ${text} ${status}`);
  },
  async 'a batch acts on its own files'(bordered) {
    const { inside, library } = callers(bordered);
    await inside('POST', '/storage/batch', { action: 'tag', items: [{ path: KNOWN }], tags: ['stolen'] });
    const { text } = await library('GET', `/assets/${KNOWN}`);
    return unless(text.includes(CANARY) && !text.includes('stolen'), text);
  },
  async 'a file of the library has no versions in it'(bordered) {
    const { status } = await callers(bordered).inside('GET', `/storage/${KNOWN}/versions`);
    return unless(status === 404, `Versions of a file of the library: ${status}`);
  },
  async 'URLs of other services lead to its own files'(bordered) {
    const { stranger } = callers(bordered);
    const [own, known] = [
      await stranger('/b/mine/demo/image/upload/w_10/own.png'),
      await stranger(`/b/mine/demo/image/upload/w_10/${KNOWN}`),
    ];
    return unless(own.status === 200 && known.status === 404, `URLs of Cloudinary: ${own.status}, ${known.status}`);
  },
  async 'the status of a video is that of its own, with its own layers'(bordered) {
    const { stranger } = callers(bordered);
    const found: number[] = [];
    for (const path of ['w_16,f_mp4/film.mp4', 'w_16,f_mp4~l_own.png/film.mp4', 'f_hls/film.mp4', `w_16,f_mp4/${FILM}`])
      found.push((await stranger(`/b/mine/video-status/${path}`)).status);
    return unless(`${found}` === '200,200,200,404', `Statuses: ${found}`);
  },
  async 'its jobs make files of its own'(bordered) {
    const { service, key } = bordered;
    const { stranger } = callers(bordered);
    const listener = listen(`${service.url}/b/mine/queue/events`, { 'x-api-key': key });
    try {
      await listener.next('connected');
      await stranger('/b/mine/t/f_hls,au_none/film.mp4');
      service.services.worker?.start();
      // The job of the space that waited already, then that of the stream.
      const statusOf = async (path: string) => (await stranger(`/b/mine/video-status/${path}`)).text;
      let stream = '';
      for (let ended = 0; ended < 2 && !stream.includes('"rungs":[{"status":"completed"'); ended++) {
        const { type } = await Promise.race([listener.next('job:completed'), listener.next('job:error')]);
        if (type === 'job:error') return 'A job failed.';
        stream = await statusOf('f_hls,au_none/film.mp4');
      }
      const image = await statusOf('w_11/own.png');
      return unless(
        [stream, image].every((text) => text.startsWith('{"status":"completed"')),
        `${stream} ${image}`,
      );
    } finally {
      listener.close();
    }
  },
  async 'it hears of its own jobs'(bordered) {
    const { service, key } = bordered;
    const { stranger } = callers(bordered);
    const listener = listen(`${service.url}/b/mine/queue/events`, { 'x-api-key': key });
    try {
      await listener.next('connected');
      await stranger(`/t/w_18,f_mp4/${FILM}`);
      await stranger('/b/mine/t/w_18,f_mp4/film.mp4');
      const { data } = await listener.next('job:created');
      const queued = (await callers(bordered).inside('GET', '/queue/jobs')).text;
      return unless(
        queued.includes('film.mp4') && !queued.includes(FILM) && !JSON.stringify(data).includes(FILM),
        JSON.stringify(data),
      );
    } finally {
      listener.close();
    }
  },
  async 'neither layers of presigned uploads nor names of Cloudinary tell of its private files'(bordered) {
    const { inside, stranger } = callers(bordered);
    const { url } = bordered.service;
    await inside('PATCH', '/spaces/mine', { privateFolders: ['closed'] });
    const send = async (headers: Record<string, string>, name: string, fields: Record<string, string>) => {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), name);
      return (await fetch(`${url}/b/mine/upload`, { method: 'POST', body: form, headers })).text();
    };
    await send({ 'x-api-key': bordered.key }, 'there.png', { folder: 'closed' });
    const { data } = await inside('POST', '/upload/sign', { folder: 'incoming' });
    const errorsFor = async (name: string) => {
      const { signature = '', expires = '' } = data as Record<string, string>;
      const transformations = `w_10~l_closed:${name}.png`;
      const text = await send({}, 'sent.png', { signature, expires, folder: 'incoming', transformations });
      const { status, text: answer } = await stranger(`/b/mine/image/upload/l_closed:${name}/own.png`);
      const errors = (JSON.parse(text) as { files?: { prewarmErrors: string[] }[] }).files?.[0]?.prewarmErrors;
      return `${JSON.stringify(errors)} ${status} ${answer}`.replaceAll(name, '*');
    };
    const there = await errorsFor('there');
    const missing = await errorsFor('nothing');
    return unless(there === missing && there.includes('401'), `${there} ${missing}`);
  },
};
