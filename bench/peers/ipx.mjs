// ipx with the files of a folder, as its documentation starts it. Prints its port.
import { createServer } from 'node:http';
import { createIPX, createIPXNodeServer, ipxFSStorage } from 'ipx';

const [folder] = process.argv.slice(2);
const server = createServer(createIPXNodeServer(createIPX({ storage: ipxFSStorage({ dir: folder }) })));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
