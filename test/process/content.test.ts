import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { cat, get } from '../../src/cli/content-commands.ts'
import type { Client } from '../../src/client/client.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { Client as NodeClient } from '../../src/client/client.ts'
import { connect, startMember, type Member } from '../support/daemon-pair.ts'
import { recordingContext } from '../support/cli.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

/** `a` has the files; `b` ignores all, so that nothing is kept there. */
const scratch = scratchDirectory()
const FILM = randomBytes(24 * 1024 * 1024)
/** Not read before the device that has it is killed; more than is read ahead and buffered. */
const UNREAD = randomBytes(64 * 1024 * 1024)
const NOTES = 'a line\n'
let [a, b]: (Member | undefined)[] = []

function members(): { readonly a: Member; readonly b: Member } {
  assert.ok(a !== undefined && b !== undefined)
  return { a, b }
}

before(async () => {
  ;[a, b] = await Promise.all([startMember(scratch.path, 'a'), startMember(scratch.path, 'b')])
  for (const { root } of [a, b]) mkdirSync(root)
  writeFileSync(join(b.root, '.stignore'), '*\n')
  mkdirSync(join(a.root, 'dir/below'), { recursive: true })
  writeFileSync(join(a.root, 'film.mp4'), FILM)
  writeFileSync(join(a.root, 'unread.bin'), UNREAD)
  writeFileSync(join(a.root, 'unread.txt'), 'unread')
  writeFileSync(join(a.root, 'dir/notes.txt'), NOTES)
  utimesSync(join(a.root, 'dir/notes.txt'), 1_700_000_000, 1_700_000_000)
  writeFileSync(join(a.root, 'dir/below/\u001b[31mred\n.txt'), 'red')
  symlinkSync('/etc/passwd', join(a.root, 'dir/link'))
  await connect(a, b)
  const { daemon } = b
  await eventually('the index of the other device', async () => {
    const reply = await daemon.request('GET', '/rest/db/file?folder=docs&file=unread.txt')
    const { ok } = reply
    await reply.text()
    return ok ? true : undefined
  })
})

after(async () => {
  await Promise.all([a, b].map((member) => member?.[Symbol.asyncDispose]()))
  scratch[Symbol.dispose]()
})

function contentUrl({ daemon }: Member, file: string, more = ''): string {
  return `${daemon.url}/rest/twinfold/content?folder=docs&file=${encodeURIComponent(file)}${more}`
}

async function fetchContent(member: Member, file: string, headers: Record<string, string> = {}, method = 'GET') {
  const reply = await fetch(contentUrl(member, file), {
    method,
    headers: { 'X-API-Key': member.daemon.apiKey, connection: 'close', ...headers },
  })
  return { reply, bytes: Buffer.from(await reply.arrayBuffer()) }
}

function clientOf({ daemon }: Member): Client {
  return new NodeClient({ transport: nodeTransport(daemon.url), apiKey: daemon.apiKey })
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test('a file of another device is read whole and in parts, and nothing of it is kept', async () => {
  const whole = await fetchContent(members().b, 'film.mp4')
  assert.equal(whole.reply.status, 200)
  assert.equal(digest(whole.bytes), digest(FILM))
  const etag = whole.reply.headers.get('etag') ?? ''
  const head = await fetchContent(members().b, 'film.mp4', {}, 'HEAD')
  assert.deepEqual(
    [head.reply.status, head.reply.headers.get('content-length'), head.reply.headers.get('etag')],
    [200, `${FILM.length}`, etag],
  )
  const from = [0, 131_071, 20_000_000, FILM.length - 10]
  const parts = await Promise.all(
    from.map((at) => fetchContent(members().b, 'film.mp4', { Range: `bytes=${at}-${at + 99_999}`, 'If-Range': etag })),
  )
  parts.forEach(({ reply, bytes }, at) => {
    assert.equal(reply.status, 206)
    assert.ok(FILM.subarray(from[at]!, from[at]! + 100_000).equals(bytes), `from ${from[at]}`)
  })
  const known = await fetchContent(members().b, 'film.mp4', { 'If-None-Match': etag })
  assert.deepEqual([known.reply.status, known.bytes.length], [304, 0])
  const own = await fetchContent(members().a, 'film.mp4', { Range: 'bytes=-5' })
  assert.deepEqual([own.reply.headers.get('etag'), own.bytes], [etag, FILM.subarray(-5)])
  assert.deepEqual(readdirSync(members().b.root).sort(), ['.stfolder', '.stignore'])
})

test('cat prints a file or some of its bytes, get saves files and never replaces one unasked', async () => {
  const client = clientOf(members().b)
  const printed = recordingContext(client)
  assert.equal(await cat(printed.context, client, 'docs', './dir/notes.txt', undefined), 0)
  assert.equal(await cat(printed.context, client, 'docs', 'dir/notes.txt', { fromBytes: 2, toBytes: 6 }), 0)
  assert.deepEqual(printed.out, [NOTES, 'line'])

  const target = join(scratch.path, 'saved')
  const options = { to: target, force: false, json: false }
  const saved = recordingContext(client)
  assert.equal(await get(saved.context, client, 'docs', 'dir/', options), 4, 'the symlink is skipped')
  assert.match(saved.err.join(), /Skipped dir\/link/)
  assert.match(saved.out.join(), /2 files, 10 B/)
  assert.deepEqual(readdirSync(target).sort(), ['below', 'notes.txt'])
  assert.equal(readFileSync(join(target, 'below/\u001b[31mred\n.txt'), 'utf8'), 'red')
  assert.equal(statSync(join(target, 'notes.txt')).mtimeMs, 1_700_000_000_000)

  writeFileSync(join(target, 'notes.txt'), 'mine')
  const again = { ...options, to: scratch.path }
  await assert.rejects(get(saved.context, client, 'docs', 'dir/notes.txt', { ...options, to: target }), {
    code: 'refused',
    message: /exists already.*notes\.txt.*nothing was saved.*--force/,
  })
  assert.equal(readFileSync(join(target, 'notes.txt'), 'utf8'), 'mine')
  assert.equal(await get(saved.context, client, 'docs', 'dir/notes.txt', { ...options, force: true }), 0)
  assert.equal(readFileSync(join(target, 'notes.txt'), 'utf8'), NOTES)
  assert.equal(await get(saved.context, client, 'docs', 'film.mp4', { ...again, json: true }), 0)
  assert.equal(digest(readFileSync(join(scratch.path, 'film.mp4'))), digest(FILM))
  assert.deepEqual(
    readdirSync(scratch.path).filter((name) => name.endsWith('.part')),
    [],
  )
  await assert.rejects(get(saved.context, client, 'docs', 'none', again), { code: 'file-missing' })
  await assert.rejects(cat(saved.context, client, 'docs', 'dir', undefined), { status: 409 })
})

test('the last device that has a file is killed: right bytes, then a cut, then 503 that names it', async () => {
  const stream = await opened(contentUrl(members().b, 'unread.bin'), members().b.daemon.apiKey)
  await members().a.daemon.signal('SIGKILL')
  const got: Buffer[] = []
  await assert.rejects(async () => {
    for await (const piece of stream) got.push(piece as Buffer)
  }, /aborted|ECONNRESET/)
  const bytes = Buffer.concat(got)
  assert.ok(bytes.length > 0 && bytes.length < UNREAD.length, `${bytes.length} bytes`)
  assert.ok(UNREAD.subarray(0, bytes.length).equals(bytes))
  const { reply, bytes: reason } = await fetchContent(members().b, 'unread.txt')
  assert.equal(reply.status, 503)
  assert.match(reason.toString(), /"unread\.txt".*It is on peer \(last seen 20\d\d-/)
})

/** A reply of which nothing but the beginning was read. */
function opened(url: string, apiKey: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers: { 'X-API-Key': apiKey }, agent: false }, resolve).on('error', reject)
  })
}
