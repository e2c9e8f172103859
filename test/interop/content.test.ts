import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { someBytes } from '../support/bytes.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { apiKeyOf, missingSyncthing } from '../support/syncthing.ts'

const BLOCK = 128 * 1_024
const debian = process.env['TWINFOLD_SYNCTHING']
const VERSIONS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.29', debian ?? ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]

interface Content {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

function contentOf(member: Member, file: string, headers: Record<string, string> = {}): Promise<Content> {
  const { promise, resolve, reject } = Promise.withResolvers<Content>()
  const path = `/rest/twinfold/content?folder=${FOLDER}&file=${encodeURIComponent(file)}`
  const options = { socketPath: join(member.home, 'gui.sock'), path, agent: false, timeout: 60_000 }
  get({ ...options, headers: { Host: 'localhost', 'X-API-Key': apiKeyOf(member.home), ...headers } }, (reply) => {
    const pieces: Buffer[] = []
    reply.on('error', reject).on('data', (piece: Buffer) => pieces.push(piece))
    reply.on('end', () =>
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes: Buffer.concat(pieces) }),
    )
  }).on('error', reject)
  return promise
}

for (const [version, program] of VERSIONS) {
  test(`files of Syncthing ${version} are read without being kept`, async (t) => {
    if (program === undefined) return t.skip('SYNCTHING2_BIN names no program')
    if (program === '') delete process.env['TWINFOLD_SYNCTHING']
    else process.env['TWINFOLD_SYNCTHING'] = program
    const missing = missingSyncthing()
    if (missing !== undefined) return t.skip(missing)
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [source, reader] = await Promise.all([network.add('syncthing', 'source'), network.add('twinfold', 'reader')])
    const film = someBytes(20 * BLOCK + 7, 1)
    mkdirSync(join(source.root, 'dir'))
    writeFileSync(join(source.root, 'dir/film.mp4'), film)
    writeFileSync(join(source.root, 'unread'), 'unread')
    writeFileSync(join(reader.root, '.stignore'), '*\n')
    await link([[source, reader]])
    await scanAll([source, reader])
    const whole = await eventually('the file', async () => {
      const reply = await contentOf(reader, 'dir/film.mp4')
      return reply.status === 200 ? reply : undefined
    })
    assert.ok(whole.bytes.equals(film))
    const part = await contentOf(reader, 'dir/film.mp4', { Range: `bytes=${3 * BLOCK - 1}-${5 * BLOCK}` })
    assert.deepEqual([part.status, part.headers.etag], [206, whole.headers.etag])
    assert.ok(part.bytes.equals(film.subarray(3 * BLOCK - 1, 5 * BLOCK + 1)))
    assert.deepEqual(readdirSync(reader.root).sort(), ['.stfolder', '.stignore'])

    film.fill('edited', 10 * BLOCK, 10 * BLOCK + 60)
    writeFileSync(join(source.root, 'dir/film.mp4'), film)
    await source.scan()
    const edited = await eventually('the new version', async () => {
      const reply = await contentOf(reader, 'dir/film.mp4')
      return reply.headers.etag === whole.headers.etag ? undefined : reply
    })
    assert.ok(edited.bytes.equals(film))
    await source.stop()
    const gone = await eventually('the refusal', async () => {
      const reply = await contentOf(reader, 'unread')
      return reply.status === 503 ? reply : undefined
    })
    assert.match(gone.bytes.toString(), /"unread".*It is on source \(last seen/)
  })
}
