/** The network drive, read by programs of others, with files that are on another device only. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { missingProgram } from '../support/debian.ts'
import { connect, startMember, statusOf, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const missing = () => missingProgram('curl', 'curl') ?? missingProgram('rclone', 'rclone')
const skip = missing() ?? missingProgram('cadaver', 'cadaver') ?? false

const USER = 'alice'
const PASSWORD = 's3cret & 50%'
const MANY = 20_000
const FILM = 'in here/film 50% #1?.mp4'
const TEXT = 'in here/Ümläut & <co>.txt'
const CONTROL = 'in here/control \u0001.txt'
const NAMES = [FILM, TEXT, CONTROL, 'in here/back\\slash', 'in here/日本 😀']
const film = randomBytes(3_000_000)

const scratch = scratchDirectory()
let anna: Member
let ben: Member

interface Ran {
  readonly code: number | null
  readonly out: Buffer
  readonly err: string
}

/** Runs a program to its end, for a minute at most. */
async function run(program: string, args: readonly string[], input = ''): Promise<Ran> {
  const { promise, resolve, reject } = Promise.withResolvers<Ran>()
  const child = spawn(program, args, {
    cwd: scratch.path,
    env: { PATH: process.env['PATH'], HOME: scratch.path, LC_ALL: 'C.UTF-8' },
    timeout: 60_000,
  })
  const out: Buffer[] = []
  let err = ''
  child.stdout.on('data', (piece: Buffer) => out.push(piece))
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
  child.on('error', reject)
  child.on('close', (code) => resolve({ code, out: Buffer.concat(out), err }))
  child.stdin.on('error', () => {}) // the program may end without reading
  child.stdin.end(input)
  return await promise
}

const drive = (path = '') => `${ben.daemon.url}/dav/docs/${path.split('/').map(encodeURIComponent).join('/')}`
const curl = (...args: string[]) => run('curl', ['-sS', '-u', `${USER}:${PASSWORD}`, ...args])

before(async () => {
  if (skip !== false) return
  anna = await startMember(scratch.path, 'anna')
  ben = await startMember(scratch.path, 'ben')
  for (const name of ['in here/deep', 'many']) mkdirSync(join(anna.root, name), { recursive: true })
  for (const name of NAMES) writeFileSync(join(anna.root, name), name === FILM ? film : `content of ${name}`)
  symlinkSync('/etc/passwd', join(anna.root, 'in here/link'))
  for (let number = 0; number < MANY; number++) writeFileSync(join(anna.root, `many/${number}.txt`), '')
  mkdirSync(ben.root)
  writeFileSync(join(ben.root, '.stignore'), '*\n')
  await connect(anna, ben)
  await ben.daemon.request('PATCH', '/rest/config/gui', { user: USER, password: PASSWORD })
  await eventually('the index of the other device', async () => {
    return (await statusOf(ben)).globalTotalItems >= MANY + NAMES.length + 3 || undefined
  })
  assert.equal((await statusOf(ben)).localBytes, 0, 'no file is here')
  const { status } = await ben.daemon.request('PATCH', '/rest/twinfold/settings', { drive: true })
  assert.equal(status, 200)
})

after(async () => {
  await anna?.[Symbol.asyncDispose]()
  await ben?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

test(
  'curl: lists, reads a file of another device, whole and in ranges, and is refused what it may not',
  { skip },
  async () => {
    const listed = await curl('-X', 'PROPFIND', '-H', 'Depth: 1', drive('in here/'))
    const hrefs = Array.from(listed.out.toString().matchAll(/<D:href>(.*?)</g), ([, href]) => decodeURIComponent(href!))
    assert.deepEqual(
      hrefs.toSorted(),
      ['in here/', 'in here/deep/', ...NAMES].map((name) => `/dav/docs/${name}`).toSorted(),
    )
    for (const name of NAMES) {
      const { out } = await curl(drive(name))
      assert.ok(out.equals(name === FILM ? film : Buffer.from(`content of ${name}`)), name)
    }
    const part = await curl('-r', '1500000-1500099', '-D', 'head', drive(FILM))
    assert.ok(part.out.equals(film.subarray(1_500_000, 1_500_100)))
    const head = readFileSync(join(scratch.path, 'head'), 'utf8')
    const etag = /^etag: (.*)\r$/im.exec(head)?.[1] ?? ''
    assert.match(listed.out.toString(), new RegExp(`<D:getetag>${etag}<`))
    assert.match(head, /^content-range: bytes 1500000-1500099\/3000000\r$/im)

    const statusOfCurl = async (...args: string[]) =>
      Number((await run('curl', ['-s', '-o', 'body', '-w', '%{http_code}', ...args])).out)
    assert.equal(await statusOfCurl(drive(FILM)), 401)
    assert.equal(await statusOfCurl('-u', `${USER}:wrong`, drive(FILM)), 401)
    assert.equal(await statusOfCurl('-u', `any:${ben.daemon.apiKey}`, drive(FILM)), 200)
    assert.equal(await statusOfCurl('-u', `any:${ben.daemon.apiKey}`, '-H', 'Host: evil.example', drive(FILM)), 403)
    assert.equal(await statusOfCurl('-u', `${USER}:${PASSWORD}`, '-T', 'head', drive('new')), 405)
  },
)

test(
  'rclone: lists everything, copies what is on another device only, reads a part, and cannot write',
  { skip },
  async () => {
    writeFileSync(join(scratch.path, 'rclone.conf'), '')
    const obscured = (await run('rclone', ['obscure', '-'], PASSWORD)).out.toString().trim()
    const settings = ['--config', 'rclone.conf', '--retries', '1', '--low-level-retries', '1']
    const remote = [`--webdav-url=${ben.daemon.url}/dav/`, `--webdav-user=${USER}`, `--webdav-pass=${obscured}`]
    const rclone = (...args: string[]) => run('rclone', [...settings, ...remote, ...args])
    assert.equal((await rclone('lsf', ':webdav:')).out.toString(), 'docs/\n')
    const all = await rclone('lsf', '-R', '--files-only', ':webdav:docs')
    assert.equal(all.err, '')
    assert.equal(all.out.toString().trimEnd().split('\n').length, MANY + NAMES.length)
    const copied = await rclone('copy', ':webdav:docs/in here', 'copied')
    assert.equal(copied.err, '')
    for (const name of NAMES) {
      const content = readFileSync(join(scratch.path, 'copied', name.slice('in here/'.length)))
      assert.ok(content.equals(name === FILM ? film : Buffer.from(`content of ${name}`)), name)
    }
    const part = await rclone('cat', '--offset', '2000000', '--count', '10', `:webdav:docs/${FILM}`)
    assert.ok(part.out.equals(film.subarray(2_000_000, 2_000_010)))
    const written = await rclone('copyto', join(anna.root, TEXT), ':webdav:docs/new.txt')
    assert.notEqual(written.code, 0)
    assert.match(written.err, /405/)
  },
)

test('cadaver: lists a directory, gets a file, and cannot write', { skip }, async () => {
  writeFileSync(join(scratch.path, '.netrc'), `machine 127.0.0.1 login ${USER} password ${ben.daemon.apiKey}\n`)
  const commands = ['cd "in here"', 'ls', `get "${TEXT.slice(8)}" got.txt`, 'mkcol new', 'quit']
  const { out, err } = await run('cadaver', [drive()], `${commands.join('\n')}\n`)
  const text = out.toString()
  assert.match(text, /Coll:\s+deep\s/, text + err)
  assert.match(text, /film 50% #1\?\.mp4\s+3000000\s/, text)
  assert.equal(readFileSync(join(scratch.path, 'got.txt'), 'utf8'), `content of ${TEXT}`)
  assert.match(text, /Creating `new': failed:\s+405/)
})

test('a directory of 20,000 files is listed completely', { skip }, async () => {
  for (let round = 0; round < 3; round++) {
    const { out } = await curl(
      '-X',
      'PROPFIND',
      '-H',
      'Depth: 1',
      '-w',
      '\n%{time_starttransfer} %{time_total}',
      drive('many/'),
    )
    const text = out.toString()
    assert.equal(text.match(/<D:response>/g)?.length, MANY + 1)
    console.log(
      `20,000 entries: ${text.length} bytes, first byte and all, in s: ${text.slice(text.lastIndexOf('\n') + 1)}`,
    )
  }
})
