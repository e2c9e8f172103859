import assert from 'node:assert/strict'
import { X509Certificate, generateKeyPairSync } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import {
  ensureHome,
  loadOrMakeHttpsIdentity,
  loadOrMakeIdentity,
  type IdentityDeps,
} from '../../../src/main/home/identity.ts'
import { findLocations } from '../../../src/core/find-locations.ts'
import type { Locations } from '../../../src/core/locations.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../../../src/platform/node/random.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimDisk } from '../../../src/platform/sim/disk.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { reportRow } from '../../support/effort.ts'
import { scratchDirectory } from '../../support/scratch.ts'

const DAY_MS = 24 * 3600 * 1000
const deps: IdentityDeps = { disk: nodeDisk, clock: nodeClock, random: nodeRandom }

function locationsOf(home: string): Locations {
  return findLocations({
    platform: 'linux',
    environment: {},
    userHome: '/missing',
    workingDirectory: '/',
    home,
    exists: () => false,
  })
}

function withUmask<T>(mask: number, act: () => Promise<T>): Promise<T> {
  const before = process.umask(mask)
  return act().finally(() => process.umask(before))
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

test('a new home gets an identity in the format of Syncthing, and keeps it', async () => {
  using scratch = scratchDirectory()
  const locations = locationsOf(scratch.path)
  const made = await loadOrMakeIdentity(deps, locations)
  assert.ok(made.created)
  const certificate = new X509Certificate(readFileSync(locations.certificateFile))
  assert.equal(certificate.subject, 'O=Syncthing\nOU=Automatically Generated\nCN=syncthing')
  assert.equal(certificate.issuer, certificate.subject)
  assert.equal(certificate.subjectAltName, 'DNS:syncthing')
  assert.equal(certificate.publicKey.asymmetricKeyType, 'ed25519')
  assert.ok(certificate.verify(certificate.publicKey))
  assert.equal(certificate.validFromDate.getTime() % DAY_MS, 0)
  assert.equal(certificate.validToDate.getTime() - certificate.validFromDate.getTime(), 20 * 365 * DAY_MS)
  const again = await loadOrMakeIdentity(deps, locations)
  assert.ok(!again.created)
  assert.equal(again.deviceId, made.deviceId)
  assert.deepEqual(readdirSync(scratch.path).sort(), ['cert.pem', 'key.pem'])
})

test('D-08 a home that is a symlink to a directory is used, and its target is closed to others', async () => {
  using scratch = scratchDirectory()
  const target = join(scratch.path, 'elsewhere')
  const link = join(scratch.path, 'link')
  mkdirSync(target, { mode: 0o755 })
  symlinkSync(target, link)
  await ensureHome(nodeDisk, locationsOf(link))
  assert.equal(statSync(target).mode & 0o777, 0o700)
})

test('D-10 keys and homes are closed to others under any umask', async () => {
  let tried = 0
  for (const mask of [0o000, 0o022, 0o077]) {
    await withUmask(mask, async () => {
      using scratch = scratchDirectory()
      const locations = locationsOf(join(scratch.path, 'deep', 'home'))
      await ensureHome(nodeDisk, locations)
      await loadOrMakeIdentity(deps, locations)
      await loadOrMakeHttpsIdentity(deps, locations, 'ann-laptop')
      assert.equal(modeOf(locations.configDirectory), 0o700)
      assert.equal(modeOf(locations.keyFile), 0o600)
      assert.equal(modeOf(locations.httpsKeyFile), 0o600)
      assert.equal(modeOf(locations.certificateFile), 0o644)
      tried += 4
    })
  }
  reportRow({ id: 'D-10', what: 'modes of keys and homes', tried })
})

test('an existing home that is open to other users is closed', async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'h'), { mode: 0o755 })
  await ensureHome(nodeDisk, locationsOf(join(scratch.path, 'h')))
  assert.equal(modeOf(join(scratch.path, 'h')), 0o700)
})

const keyTypes: [name: string, pem: () => string][] = [
  [
    'P-384',
    () =>
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  ],
  [
    'RSA',
    () =>
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
  ],
]

const damages: [name: string, act: (locations: Locations) => void][] = [
  ['the certificate is missing', ({ certificateFile }) => rmSync(certificateFile)],
  ['the key is missing', ({ keyFile }) => rmSync(keyFile)],
  ['the certificate is empty', ({ certificateFile }) => writeFileSync(certificateFile, '')],
  ['the key is empty', ({ keyFile }) => writeFileSync(keyFile, '')],
  [
    'the certificate is cut',
    ({ certificateFile }) => writeFileSync(certificateFile, readFileSync(certificateFile).subarray(0, 200)),
  ],
  ['the key is cut', ({ keyFile }) => writeFileSync(keyFile, readFileSync(keyFile).subarray(0, 60))],
  ['the certificate is NULs', ({ certificateFile }) => writeFileSync(certificateFile, new Uint8Array(600))],
  ['the key is NULs', ({ keyFile }) => writeFileSync(keyFile, new Uint8Array(120))],
  [
    'the files are swapped',
    ({ certificateFile, keyFile }) => {
      const [certificate, key] = [readFileSync(certificateFile), readFileSync(keyFile)]
      writeFileSync(certificateFile, key)
      writeFileSync(keyFile, certificate)
    },
  ],
  [
    'a bit of the certificate is flipped',
    ({ certificateFile }) => {
      const text = readFileSync(certificateFile, 'latin1')
      const at = text.indexOf('\n') + 2
      writeFileSync(certificateFile, `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`)
    },
  ],
  ...keyTypes.map(([name, pem]): [string, (locations: Locations) => void] => [
    `the key is another one, ${name}`,
    ({ keyFile }) => writeFileSync(keyFile, pem()),
  ]),
  [
    'the certificate is a directory',
    ({ certificateFile }) => {
      rmSync(certificateFile)
      mkdirSync(certificateFile)
    },
  ],
  [
    'the key is a symlink that leads nowhere',
    ({ keyFile }) => {
      rmSync(keyFile)
      symlinkSync('/nowhere/key.pem', keyFile)
    },
  ],
  [
    'both are symlinks that lead nowhere',
    ({ keyFile, certificateFile }) => {
      rmSync(keyFile)
      rmSync(certificateFile)
      symlinkSync('/nowhere/key.pem', keyFile)
      symlinkSync('/nowhere/cert.pem', certificateFile)
    },
  ],
  ['the key is huge', ({ keyFile }) => writeFileSync(keyFile, Buffer.alloc(2 * 1024 * 1024, 'a'))],
]

let silentNewIds = 0
for (const [name, act] of damages) {
  test(`D-07 no new identity, and nothing changed, when ${name}`, async () => {
    using scratch = scratchDirectory()
    const locations = locationsOf(scratch.path)
    await loadOrMakeIdentity(deps, locations)
    act(locations)
    const before = readdirSync(scratch.path).sort()
    silentNewIds++
    await assert.rejects(loadOrMakeIdentity(deps, locations), (error) => {
      assert.ok(error instanceof TwinfoldError && error.code === 'identity-invalid', String(error))
      assert.match(error.message, /(cert|key)\.pem/)
      assert.doesNotMatch(error.message, /BEGIN|MC4C/)
      return true
    })
    silentNewIds--
    assert.deepEqual(readdirSync(scratch.path).sort(), before)
  })
}

test('D-07 report', () => {
  assert.equal(silentNewIds, 0)
  reportRow({ id: 'D-07', tried: damages.length, refused: damages.length - silentNewIds, silentNewId: silentNewIds })
})

test('an identity that Syncthing 1.x made is used as it is', async () => {
  using scratch = scratchDirectory()
  const locations = locationsOf(scratch.path)
  const fixtures = join(import.meta.dirname, '../../fixtures/identity')
  copyFileSync(join(fixtures, 'syncthing-1.x-cert.pem'), locations.certificateFile)
  copyFileSync(join(fixtures, 'syncthing-1.x-key.pem'), locations.keyFile)
  const identity = await loadOrMakeIdentity(deps, locations)
  assert.ok(!identity.created)
  // As `syncthing --device-id` prints it.
  assert.equal(identity.deviceId, 'KHTEYTK-DXMHVRM-B3V5TJG-E62TD45-IIV6YIO-W5NBFNE-GG34JZ5-JHAJIAP')
})

test('C-03 a power failure while an identity is created: afterwards there is one, and it stays', async () => {
  const locations = locationsOf('/home')
  let tried = 0
  let calls = 1
  for (let finished = false; !finished; calls++) {
    for (const keep of ['nothing', 'everything', new SimRandom(calls), new SimRandom(calls + 99)] as const) {
      const clock = new SimClock()
      const disk = new SimDisk(clock)
      disk.put('/home/other', '')
      const simulated = { disk, clock, random: new SimRandom(3) }
      disk.faults.powerOffAt(calls)
      const made = await loadOrMakeIdentity(simulated, locations).catch(() => undefined)
      finished = made !== undefined
      disk.crash(keep)
      const first = await loadOrMakeIdentity(simulated, locations)
      if (made !== undefined) assert.equal(first.deviceId, made.deviceId, 'the returned identity stays')
      assert.equal((await loadOrMakeIdentity(simulated, locations)).deviceId, first.deviceId)
      tried++
    }
  }
  reportRow({ id: 'C-03', what: 'identity', tried, calls: calls - 1 })
})

test('the GUI certificate names the host, and is renewed before it expires if Twinfold created it', async () => {
  using scratch = scratchDirectory()
  const locations = locationsOf(scratch.path)
  const clock = new SimClock()
  const timed = { ...deps, clock }
  const first = await loadOrMakeHttpsIdentity(timed, locations, "Ann's laptop")
  const certificate = new X509Certificate(first.certificatePem)
  assert.match(certificate.subject, /CN=Ann-s-laptop$/)
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.equal(certificate.validToDate.getTime() - certificate.validFromDate.getTime(), 820 * DAY_MS)
  assert.equal((await loadOrMakeHttpsIdentity(timed, locations, 'x')).certificatePem, first.certificatePem)
  clock.jumpWall(795 * DAY_MS)
  const second = await loadOrMakeHttpsIdentity(timed, locations, 'x')
  assert.notEqual(second.certificatePem, first.certificatePem)
  assert.equal((await loadOrMakeHttpsIdentity(timed, locations, 'x')).certificatePem, second.certificatePem)
})
