import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findCacheDirectory } from '../../../src/main/single-file/cache-directory.ts'
import { compiledDirectory, unpackProgram } from '../../../src/main/single-file/unpack.ts'
import { markUse, removeUnused } from '../../../src/main/single-file/used-versions.ts'
import { scratchDirectory } from '../../support/scratch.ts'

const DAY_MS = 86_400_000
const FILES: Readonly<Record<string, string>> = {
  'start.cjs': 'start',
  'dist/main/bin.js': 'program',
  'node_modules/native/native.node': 'native code',
}

function packed(files = FILES) {
  const list = Object.entries(files).map(([path, text]) => ({
    path,
    sizeBytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  }))
  const written: string[] = []
  const readFile = (path: string) => {
    written.push(path)
    return Buffer.from(files[path]!)
  }
  return { list: JSON.stringify({ files: list }), readFile, written }
}

const contents = (target: string) =>
  Object.fromEntries(Object.keys(FILES).map((path) => [path, readFileSync(join(target, path), 'utf8')]))

describe('the files of a single file', () => {
  it('are unpacked once, for this user only', () => {
    using scratch = scratchDirectory()
    const program = packed()
    const target = unpackProgram({ directory: scratch.path, ...program })
    assert.deepEqual(contents(target), FILES)
    assert.equal(statSync(target).mode & 0o777, 0o700)
    assert.equal(statSync(join(target, 'dist/main/bin.js')).mode & 0o777, 0o600)
    assert.equal(unpackProgram({ directory: scratch.path, ...program }), target)
    assert.equal(program.written.length, Object.keys(FILES).length)
    assert.deepEqual(readdirSync(scratch.path), [target.slice(scratch.path.length + 1)])
  })

  it('of another version have another directory', () => {
    using scratch = scratchDirectory()
    const first = unpackProgram({ directory: scratch.path, ...packed() })
    const second = unpackProgram({ directory: scratch.path, ...packed({ ...FILES, 'start.cjs': 'other' }) })
    assert.notEqual(second, first)
    assert.deepEqual(contents(first), FILES)
  })

  const changes: Readonly<Record<string, (target: string) => void>> = {
    'with other bytes of the same length': (target) => writeFileSync(join(target, 'start.cjs'), 'START'),
    'with a shorter file': (target) => writeFileSync(join(target, 'dist/main/bin.js'), ''),
    'with a missing file': (target) => rmSync(join(target, 'start.cjs')),
    'with one more file': (target) => writeFileSync(join(target, 'node_modules/native/earlier.node'), 'planted'),
    'with a link in place of a file': (target) => {
      renameSync(join(target, 'start.cjs'), `${target}-moved`)
      symlinkSync(`${target}-moved`, join(target, 'start.cjs'))
    },
    'with a link in place of a directory': (target) => {
      renameSync(join(target, 'dist'), `${target}-moved`)
      symlinkSync(`${target}-moved`, join(target, 'dist'))
    },
    'that others can write': (target) => chmodSync(join(target, 'start.cjs'), 0o666),
    'in a directory that others can write': (target) => chmodSync(target, 0o777),
    'replaced by a file': (target) => {
      rmSync(target, { recursive: true })
      writeFileSync(target, '')
    },
    'replaced by a link': (target) => {
      renameSync(target, `${target}-moved`)
      symlinkSync(`${target}-moved`, target)
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    it(`are written anew when found ${name}`, () => {
      using scratch = scratchDirectory()
      const program = packed()
      const target = unpackProgram({ directory: scratch.path, ...program })
      change(target)
      assert.equal(unpackProgram({ directory: scratch.path, ...program }), target)
      assert.equal(program.written.length, 2 * Object.keys(FILES).length)
      assert.deepEqual(contents(target), FILES)
      assert.ok(!existsSync(join(target, 'node_modules/native/earlier.node')))
      assert.ok(statSync(join(target, 'start.cjs')).isFile() && (statSync(target).mode & 0o777) === 0o700)
    })
  }

  it('are never used when they cannot be made the same', () => {
    using scratch = scratchDirectory()
    const program = packed()
    const readFile = () => Buffer.from('other')
    assert.throws(() => unpackProgram({ directory: scratch.path, list: program.list, readFile }), {
      code: 'refused',
      message: /does not hold what was unpacked.*TWINFOLD_CACHE_DIR/,
    })
  })

  it('are not left half-written when unpacking fails, and the error has the remedy', () => {
    using scratch = scratchDirectory()
    const readFile = (path: string) => {
      if (path === 'start.cjs') return Buffer.from('start')
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    assert.throws(() => unpackProgram({ directory: scratch.path, list: packed().list, readFile }), {
      code: 'refused',
      message: /no space left on device; make room.*TWINFOLD_CACHE_DIR/,
    })
    assert.deepEqual(readdirSync(scratch.path), [])
  })
})

describe('the directory of unpacked programs', () => {
  const owner = (home: string, more: Readonly<Record<string, string>> = {}) => ({
    platform: 'linux' as const,
    environment: { HOME: home, ...more },
    userHome: home,
    userId: process.getuid?.(),
  })

  it('is below XDG_CACHE_HOME, else below the home, and can be named', () => {
    using scratch = scratchDirectory()
    const home = scratch.path
    assert.equal(findCacheDirectory(owner(home)), join(home, '.cache/twinfold/program'))
    assert.equal(statSync(join(home, '.cache/twinfold')).mode & 0o777, 0o700)
    const xdg = owner(home, { XDG_CACHE_HOME: join(home, 'xdg') })
    assert.equal(findCacheDirectory(xdg), join(home, 'xdg/twinfold/program'))
    const named = owner(home, { TWINFOLD_CACHE_DIR: join(home, 'named') })
    assert.equal(findCacheDirectory(named), join(home, 'named/program'))
    const mac = { ...owner(home), platform: 'darwin' as const }
    assert.equal(findCacheDirectory(mac), join(home, 'Library/Caches/twinfold/program'))
  })

  it('is that of the account where HOME belongs to another user', () => {
    using scratch = scratchDirectory()
    const [another, own] = [join(scratch.path, 'another'), join(scratch.path, 'own')]
    for (const path of [another, own]) mkdirSync(path)
    const { uid } = statSync(own)
    const isRoot = uid === 0
    // Only root can give a directory to another user; other users name one that is not theirs.
    const environment = { HOME: isRoot ? another : '/' }
    if (isRoot) chownSync(another, 1, 1)
    assert.equal(
      findCacheDirectory({ ...owner(own), environment, userHome: own }),
      join(own, '.cache/twinfold/program'),
    )
  })

  it('is refused when others can write to it, with the remedy', () => {
    using scratch = scratchDirectory()
    const named = join(scratch.path, 'named')
    mkdirSync(named)
    chmodSync(named, 0o775)
    const call = () => findCacheDirectory(owner(scratch.path, { TWINFOLD_CACHE_DIR: named }))
    assert.throws(call, { code: 'refused', message: /other users can write to .*chmod 700/ })
    chmodSync(named, 0o755)
    assert.equal(call(), join(named, 'program'))
  })

  it('is refused when another user owns it', () => {
    using scratch = scratchDirectory()
    const named = join(scratch.path, 'named')
    const call = () =>
      findCacheDirectory({ ...owner(scratch.path, { TWINFOLD_CACHE_DIR: named }), userId: process.getuid!() + 1 })
    assert.throws(call, { code: 'refused', message: /belongs to another user.*TWINFOLD_CACHE_DIR/ })
  })

  it('is refused where everybody can replace it', () => {
    using scratch = scratchDirectory()
    const open = join(scratch.path, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    const call = () => findCacheDirectory(owner(scratch.path, { TWINFOLD_CACHE_DIR: join(open, 'named') }))
    assert.throws(call, { code: 'refused', message: /everybody can replace/ })
    chmodSync(open, 0o1777)
    assert.equal(call(), join(open, 'named/program'))
  })

  it('is refused when it is a link or cannot be created', () => {
    using scratch = scratchDirectory()
    const file = join(scratch.path, 'file')
    writeFileSync(file, '')
    const call = (named: string) => findCacheDirectory(owner(scratch.path, { TWINFOLD_CACHE_DIR: named }))
    assert.throws(() => call(join(file, 'below')), {
      code: 'refused',
      message: /cannot be unpacked.*TWINFOLD_CACHE_DIR/,
    })
    assert.throws(() => call('/proc/twinfold'), { code: 'refused', message: /ENOENT.*TWINFOLD_CACHE_DIR/ })
    mkdirSync(join(scratch.path, 'elsewhere'))
    symlinkSync(join(scratch.path, 'elsewhere'), join(scratch.path, 'link'))
    assert.throws(() => call(join(scratch.path, 'link')), { code: 'refused', message: /is not a directory/ })
  })
})

describe('other versions', () => {
  const old = 'a'.repeat(32)
  const unused = 'b'.repeat(32)
  const elsewhere = 'c'.repeat(32)
  const own = 'd'.repeat(32)

  it('are removed when no process runs them and none was started for a day', () => {
    using scratch = scratchDirectory()
    const at = (name: string) => join(scratch.path, name)
    const now = Date.now()
    for (const name of [old, unused, elsewhere, own, compiledDirectory(unused), 'new-abc', 'another'])
      mkdirSync(at(name))
    markUse(at(old)) // this process runs
    writeFileSync(at(`uses/${unused}-999999999@${readdirSync(at('uses'))[0]!.split('@')[1]}`), '')
    writeFileSync(at(`uses/${elsewhere}-1@other-host`), '')
    removeUnused(at(own), now)
    assert.ok(existsSync(at(unused)), 'a version of today stays')
    removeUnused(at(own), now + 2 * DAY_MS)
    assert.deepEqual(readdirSync(scratch.path).sort(), [old, elsewhere, own, 'another', 'uses'].sort())
    assert.equal(readdirSync(at('uses')).length, 2)
    utimesSync(at(`uses/${elsewhere}-1@other-host`), 0, 0)
    removeUnused(at(own), now + 2 * DAY_MS)
    assert.ok(!existsSync(at(elsewhere)))
  })
})
