import { Client } from 'pg';
import { expect, it } from 'vitest';
import { describeOnPostgres, newDatabase } from './database.ts';
import { PostgresServer } from './server.ts';

describeOnPostgres('the server of the tests', () => {
  it('gives every test a database of its own', async () => {
    const one = await newDatabase();
    const other = await newDatabase();
    expect(one).not.toBe(other);
    const client = new Client({ connectionString: one });
    await client.connect();
    const { rows } = await client.query('select current_database() as name');
    expect(new URL(one).pathname).toBe(`/${rows[0].name}`);
    await client.end();
  });

  it('keeps what was committed when it is killed and started again', async () => {
    const server = await PostgresServer.start();
    const before = new Client({ connectionString: server.url() });
    before.on('error', () => undefined);
    await before.connect();
    await before.query('create table kept (word text)');
    await before.query(`insert into kept values ('here')`);
    await server.kill();
    await server.start();
    const after = new Client({ connectionString: server.url() });
    await after.connect();
    expect((await after.query('select word from kept')).rows).toEqual([{ word: 'here' }]);
    await after.end();
    await server.close();
  });
});
