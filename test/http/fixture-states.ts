/** The states in which the exchanges of a real Syncthing were captured, by the name of the exchange. */
import { TwinfoldError } from '../../src/core/errors.ts'
import type { FileInfo } from '../../src/core/records/file-info.ts'
import type { DeviceId, FolderId, ShortId } from '../../src/core/ids.ts'
import type { ConnectionsStatus } from '../../src/connections/types.ts'
import type { Hub } from '../../src/model/model.ts'
import { fakeHash, IDLE, LOCAL_ID, type FakeOptions } from './fakes.ts'

const INFO: FileInfo = {
  name: 'q0.bin',
  type: 'file',
  deleted: false,
  sizeBytes: 700_000,
  modifiedS: 1,
  modifiedNs: 1,
  permissions: 0o644,
  noPermissions: false,
  version: [{ device: 1n as ShortId, value: 1n }],
  modifiedBy: 1n as ShortId,
  sequence: 1,
  localFlags: 0,
  blockSizeBytes: 131_072,
  blocksHash: new Uint8Array(32),
  symlinkTarget: '',
  blockHashes: new Uint8Array(192),
}

const GONE: FileInfo = { ...INFO, deleted: true, sizeBytes: 0, blocksHash: undefined, blockHashes: undefined }

const fail =
  (code: ConstructorParameters<typeof TwinfoldError>[0], message = 'x') =>
  () =>
    Promise.reject(new TwinfoldError(code, message))
const refuse = (code: ConstructorParameters<typeof TwinfoldError>[0]) => () => {
  throw new TwinfoldError(code, 'x')
}
const tree = { name: 'sub', type: 'directory' as const, sizeBytes: 0, modifiedS: 1, modifiedNs: 1, children: [] }
const scanning = (message: string): Partial<Hub> => ({ scan: fail('folder-error', message) })
const MARKER =
  'folder marker missing ' +
  '(this indicates potential data loss, search docs/forum to get information about how to proceed)'

const PEER = 'XEXVBHE-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId
const UP = {
  startedMs: 1_795_000_000_000,
  inBytesTotal: 6,
  outBytesTotal: 158,
  messages: { sent: 2, sentBytes: 150, received: 1, receivedBytes: 4 },
  address: '127.0.0.1:19012',
  type: 'tcp-client',
  isLocal: true,
  crypto: 'TLS1.3',
}
const connected = (devices: ConnectionsStatus['devices']): FakeOptions => ({
  peers: [PEER],
  deps: {
    connections: {
      status: () => ({ listeners: new Map(), lastDials: new Map(), devices, inBytesTotal: 6, outBytesTotal: 158 }),
    },
  },
})
const knocking = { device: PEER, timeMs: 1_795_000_000_000, name: 'lab-host', address: '127.0.0.1:19012' }
const offered = {
  ...knocking,
  device: LOCAL_ID,
  folder: 'share' as FolderId,
  label: 'x',
  receiveEncrypted: false,
  remoteEncrypted: false,
}
const PENDING: FakeOptions = {
  deps: { pending: { devices: [knocking], folders: [offered], dismissDevice: () => {}, dismissFolder: () => {} } },
}

const FAR = {
  completion: 5.1,
  globalBytes: 3,
  globalItems: 2,
  needBytes: 1,
  needDeletes: 0,
  needItems: 1,
  remoteState: 'valid',
  sequence: 1,
}
const COMPLETION: FakeOptions = {
  deps: { completion: { completion: async () => FAR, remoteNeed: async () => [INFO] } },
}
const LACKING: FakeOptions = {
  deps: { completion: { completion: fail('folder-missing'), remoteNeed: fail('folder-missing') } },
}
const SEEN = { lastSeenMs: 1_795_000_000_000, lastConnectionMs: 21_101 }
const DEVICES: FakeOptions = {
  deps: {
    deviceStatistics: async () =>
      new Map([
        [LOCAL_ID, { lastSeenMs: 0, lastConnectionMs: 0 }],
        [PEER, SEEN],
      ]),
  },
}

const VERSION = { versionMs: 1_794_701_589_000, modifiedMs: 1_794_701_589_000, sizeBytes: 11 }
const RESTORED = new Map([
  ['nosuch', 'simple versioner: restore: version not found'],
  ['../x', 'simple versioner: restore: relative path traversing upwards (starting with ..)'],
])
const FILES_WITH_VERSIONS = ['hello.txt', 'm1', 'm2', 'new/f4', 'nx', 'only-b.txt', 'q0.bin']
const DIRECTORIES: FakeOptions = {
  deps: {
    disk: {
      list: async () => ['lib', 'local', 'usr'].map((name) => ({ name, valid: true })),
      stat: async () => ({ type: 'directory' }) as never,
      lstat: fail('file-missing'),
      open: fail('file-missing'),
    },
  },
}

const DEBUGGING: FakeOptions = { gui: { debugging: true } }

/** The state of the fake for each captured exchange. */
export const FAKE_STATES: Record<string, FakeOptions> = {
  'system-connections-get': connected(new Map([[PEER, { clientVersion: 'v1.29.5', primary: UP, secondary: [] }]])),
  'system-pause-post': connected(new Map()),
  'system-pause-post-unknown': connected(new Map()),
  'system-resume-post': connected(new Map()),
  'cluster-pending-devices-get': PENDING,
  'cluster-pending-folders-get': PENDING,
  'db-browse-get': { hub: { browse: async () => [{ ...tree, name: 'big.bin', type: 'file' }] } },
  'db-browse-get-dirsonly': { hub: { browse: async () => [{ ...tree, children: [tree] }] } },
  'db-completion-get-syncing': COMPLETION,
  'db-completion-get-aggregate': COMPLETION,
  'db-completion-get-local': COMPLETION,
  'db-completion-get-remote': COMPLETION,
  'db-completion-get-unknown-folder': LACKING,
  'db-completion-get-bad-device': COMPLETION,
  'db-remoteneed-get': COMPLETION,
  'stats-device-get': DEVICES,
  'db-file-get': { hub: { file: async () => ({ global: INFO, local: INFO, availability: ['X' as never] }) } },
  'db-file-get-deleted': { hub: { file: async () => ({ global: GONE, local: GONE, availability: [] }) } },
  'db-file-get-needed': {
    hub: { file: async () => ({ global: INFO, local: undefined, availability: ['X' as never] }) },
  },
  'db-ignores-post-badpattern': {
    hub: { setIgnores: async (_folder, ignore) => ({ ignore, expanded: [], error: 'parse error' }) },
  },
  'db-ignores-get-unknown': {
    hub: { ignores: async () => ({ ignore: null, expanded: null, error: 'folder nope does not exist' }) },
  },
  'db-ignores-post-unknown': { hub: { setIgnores: fail('folder-missing') } },
  'db-need-get': { hub: { need: async () => ({ progress: [INFO], queued: [INFO], rest: [INFO] }) } },
  'db-need-get-unknown-folder': { hub: { need: fail('folder-missing') } },
  'db-prio-post': { hub: { need: async () => ({ progress: [INFO], queued: [INFO], rest: [INFO] }) } },
  'db-prio-post-unknown-folder': { hub: { bringToFront: refuse('folder-missing') } },
  'db-scan-post-marker-missing': { hub: scanning(MARKER) },
  'db-scan-post-path-missing': { hub: scanning('folder path missing') },
  'db-scan-post-bad-ignores': {
    hub: scanning('loading ignores: parse error: failed to load include file nofile: file not found'),
  },
  'db-scan-post-paused': { hub: { scan: fail('folder-paused') } },
  'db-scan-post-unknown-folder': { hub: { scan: fail('folder-missing') } },
  'db-status-get-paused': {
    hub: { status: async () => ({ ...IDLE, state: '', stateChangedMs: 0, sequence: 0, remoteSequences: undefined }) },
  },
  'db-status-get-unknown-folder': { hub: { status: fail('folder-missing') } },
  'folder-errors-get': { hub: { folderErrors: async () => [{ path: 'new', error: 'x' }] } },
  'folder-errors-get-unknown': { hub: { folderErrors: fail('folder-missing') } },
  'stats-folder-get': {
    hub: {
      folderStatistics: async () =>
        new Map([['share' as FolderId, { lastFile: { atMs: 1, filename: 'link', deleted: false }, lastScanMs: 1 }]]),
    },
  },
  'db-localchanged-get': { hub: { localChanged: async () => [INFO] } },
  'folder-versions-get': {
    hub: { versions: async () => new Map(FILES_WITH_VERSIONS.map((name) => [name, [VERSION]])) },
  },
  'folder-versions-get-noversioner': { hub: { versions: fail('folder-error', 'folder has no versioner') } },
  'folder-versions-post-missing': { hub: { restoreVersions: async () => RESTORED } },
  'system-browse-get': DIRECTORIES,
  'system-browse-get-caseins': DIRECTORIES,
  'system-reset-post': { folder: { paused: true } },
  'system-reset-post-folder': { folder: { id: 'second' as FolderId, paused: true } },
  'debug-file-get': { ...DEBUGGING, hub: { file: async () => ({ global: INFO, local: INFO, availability: [PEER] }) } },
  'debug-peercompletion-get': { ...DEBUGGING, peers: [PEER], deps: COMPLETION.deps! },
  'config-device-get': { peers: [PEER] },
  'auth-401-prompt': { gui: { user: 'a', password: 'b', sendBasicAuthPrompt: true } },
  'auth-enabled-nokey-403': { gui: { user: 'a', password: 'b' } },
  'noauth-auth-password-400': { gui: { user: 'alice', password: fakeHash('x') } },
  'noauth-auth-password-403': { gui: { user: 'alice', password: fakeHash('x') } },
}
