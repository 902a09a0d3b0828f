import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type Container, startContainer } from './container.ts';

const API_KEY = 'k'.repeat(40);
const FILES = [
  'portrait-face.jpg',
  'winter-1440x960.heic',
  'schizo_90.mp4',
  'photo-2725x2225.jpg',
  'merged-hopper.psd',
];
const NO_CAPABILITY = '0'.repeat(16);

let container: Container;
beforeAll(async () => {
  container = await startContainer({ API_KEY, PUBLIC_RATE_LIMIT_MAX: '0', SHUTDOWN_TIMEOUT_MS: '3600000' });
});
afterAll(() => container?.remove());

const pictureAt = async (path: string) => {
  const { status, body } = await ask(container.url, path);
  expect([path, status]).toEqual([path, 200]);
  return sharp(body);
};

test('the service is user 1000 without a capability and with no way to get one, and writes only to /data and /tmp', async () => {
  expect((await container.exec('id', '-u')).stdout).toBe('1000\n');
  const { stdout } = await container.exec('sh', '-c', 'grep -hE "^(Uid|Cap|NoNewPrivs)" /proc/[0-9]*/status | sort -u');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
  const values = Object.groupBy(lines, ([name = '']) => name);
  for (const name of ['CapInh:', 'CapPrm:', 'CapEff:', 'CapBnd:', 'CapAmb:']) {
    expect(values[name]).toEqual([[name, NO_CAPABILITY]]);
  }
  expect(values['NoNewPrivs:']).toEqual([['NoNewPrivs:', '1']]);
  expect(values['Uid:']).toEqual([['Uid:', '1000', '1000', '1000', '1000']]);
  for (const folder of ['/', '/app', '/app/src', '/etc', '/home/node', '/usr/local/bin', '/var/tmp']) {
    expect([folder, (await container.exec('touch', `${folder}/file`)).code]).toEqual([folder, 1]);
  }
  for (const folder of ['/data', '/tmp']) expect((await container.exec('touch', `${folder}/file`)).code).toBe(0);
});

test('its checks find fonts, ffmpeg and a folder to write to', async () => {
  const { stdout } = await container.exec('node', 'src/main.ts', '--check-config=deep');
  expect(stdout).toMatch(/^folder: /m);
  expect(stdout).toMatch(/^fonts: .*\.$/m);
  expect(stdout).toMatch(/^ffmpeg: \d.* at \/usr\/bin\/ffmpeg$/m);
});

test('uploads are taken: JPEG, HEIC, PSD, video', async () => {
  const form = new FormData();
  for (const name of FILES) form.append('files', new Blob([fixture(name) as Uint8Array<ArrayBuffer>]), name);
  const headers = { authorization: `Bearer ${API_KEY}` };
  const answer = await fetch(`${container.url}/upload`, { method: 'POST', body: form, headers });
  expect([answer.status, await answer.json()]).toMatchObject([200, { success: true }]);
});

test('pictures are rendered: every format, HEIC, PSD, a crop by the face, people cut out', async () => {
  for (const format of ['jpg', 'png', 'webp', 'avif', 'gif']) {
    const picture = await pictureAt(`/t/w_60,h_60,c_fill,g_face,f_${format}/portrait-face.jpg`);
    expect(await picture.metadata()).toMatchObject({ width: 60, height: 60 });
  }
  expect(await (await pictureAt('/t/w_90,f_jpg/winter-1440x960.jpg')).metadata()).toMatchObject({ width: 90 });
  expect(await (await pictureAt('/t/w_50,f_png/merged-hopper.psd')).metadata()).toMatchObject({ width: 50 });
  expect((await (await pictureAt('/t/w_80,e_cutout,f_png/portrait-face.jpg')).stats()).isOpaque).toBe(false);
  const facts = await ask(container.url, '/t/g_face,f_json/portrait-face.jpg');
  expect(JSON.stringify(facts.json())).toContain('"faces":[{');
});

test('texts have the letters of Chinese, Japanese and Korean, and coloured emoji', async () => {
  const widthOf = async (text: string) => {
    const path = `/t/w_400,h_100,c_fill,b_white,f_png~l_text:${encodeURIComponent(text)},fs_40,co_black/portrait-face.jpg`;
    return (await (await pictureAt(path)).raw().toBuffer()).toString('base64');
  };
  // A font without a letter shows the same box for all of them.
  expect(await widthOf('鷹')).not.toBe(await widthOf('鶴'));
  expect(await widthOf('한')).not.toBe(await widthOf('글'));
  expect(await widthOf('🦊')).not.toBe(await widthOf('🐻'));
});

test('a frame of a video comes at once, and every codec is encoded', async () => {
  expect(await (await pictureAt('/t/w_100,so_1,f_jpg/schizo_90.mp4')).metadata()).toMatchObject({ width: 100 });
  const paths = ['vc_h264,f_mp4', 'vc_vp9,f_webm', 'vc_av1,f_mp4', 'vc_h265,f_mp4'].map(
    (codec) => `/t/w_128,so_0,eo_1,${codec}/schizo_90.mp4`,
  );
  for (const path of paths) expect((await ask(container.url, path)).status).toBe(202);
  for (const path of paths) {
    const video = await vi.waitUntil(
      async () => {
        const answer = await ask(container.url, path);
        expect([path, [200, 202].includes(answer.status)]).toEqual([path, true]);
        return answer.status === 200 && answer;
      },
      { timeout: 240_000, interval: 500 },
    );
    expect(video.headers['content-type']).toMatch(/^video\//);
    expect(video.body.length).toBeGreaterThan(1000);
  }
});

test('the dashboard is there, and an operator has the commands', async () => {
  const page = (await ask(container.url, '/dashboard')).body.toString();
  const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
  expect((await ask(container.url, `/dashboard/${script}`)).status).toBe(200);
  const created = await container.exec('npm', 'run', '--silent', 'admin', '--', 'keys', 'create', '--name', 'tried');
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^API Key: \S{40,}$/m), stderr: '' });
});

test('the licences of all that is in it are there', async () => {
  const files = ['/app/THIRD_PARTY_NOTICES', '/usr/share/doc/ffmpeg/copyright', '/usr/share/common-licenses/LGPL-3'];
  for (const file of files) expect([file, (await container.exec('test', '-s', file)).code]).toEqual([file, 0]);
  const { stdout } = await container.exec('grep', '-c', 'GNU LESSER GENERAL PUBLIC LICENSE', files[0] ?? '');
  expect(Number(stdout)).toBeGreaterThan(0);
});

test('on SIGTERM an upload in flight is finished, and the container ends with 0', async () => {
  const headers = { 'x-api-key': API_KEY, 'content-type': 'multipart/form-data; boundary=x' };
  const upload = http.request(`${container.url}/upload`, { method: 'POST', headers, agent: new http.Agent() });
  upload.write('--x\r\nContent-Disposition: form-data; name="files"; filename="late.png"\r\n\r\n');
  upload.write(fixture('flag-alpha.png'));
  await once(upload, 'socket').then(([socket]) => once(socket, 'connect'));
  // Earlier data has arrived once a later request over a new connection is answered.
  await ask(container.url, '/health', { agent: new http.Agent() });
  await container.terminate();
  await vi.waitUntil(
    () =>
      ask(container.url, '/health', { agent: new http.Agent() }).then(
        () => false,
        () => true,
      ),
    {
      timeout: 60_000,
    },
  );
  upload.end('\r\n--x--\r\n');
  const [answer] = (await once(upload, 'response')) as [http.IncomingMessage];
  expect(answer.statusCode).toBe(200);
  expect((await buffer(answer)).toString()).toContain('late.png');
  expect(await container.exited()).toBe(0);
  const logs = await container.logs();
  expect(logs).toContain('stopped');
  expect(logs.split('\n').filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
});
