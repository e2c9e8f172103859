/** Forwards ports to sockets of the file system: `socket-line.mjs PORT SOCKET [PORT SOCKET…]`. Ends with its input. */
import { connect, createServer } from 'node:net'

const words = process.argv.slice(2)
const pairs = Array.from({ length: Math.floor(words.length / 2) }, (_pair, at) => [words[2 * at], words[2 * at + 1]])
for (const [port, path] of pairs.filter(([, end]) => end.startsWith('/'))) {
  const server = createServer((near) => {
    const far = connect(path)
    near.on('error', () => far.destroy()).pipe(far)
    far.on('error', () => near.destroy()).pipe(near)
  })
  await new Promise((resolve) => server.listen(Number(port), '127.0.0.1', resolve))
}
process.stdin.on('end', () => process.exit()).resume()
console.log('up')
