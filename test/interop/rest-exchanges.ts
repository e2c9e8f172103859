/** Requests that are sent to both programs, and how their replies must agree. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Sent instead of the right one. */
  readonly apiKey?: string
  /** Compare the text word for word, not only the shape of the JSON. */
  readonly exact?: boolean
  /**
   * Why Twinfold answers otherwise, and how: the decision of the REST contract, or a route younger than the Syncthing
   * beside it.
   */
  readonly differs?: { readonly because: string; readonly status: number }
  /** Not sent to Syncthing, because of what it would do: wipe its configuration, look for the internet, crash. */
  readonly oursOnly?: boolean
  /** Compare the kind of content, not the content. */
  readonly binary?: boolean
  /** Keys that Debian's Syncthing has and the contract does not, by path in the JSON. */
  readonly without?: readonly string[]
}

const UNKNOWN_DEVICE = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
const YOUNGER = 'the route is of Syncthing 2'
const get = (path: string, more: Partial<Exchange> = {}): Exchange => ({ method: 'GET', path, ...more })
const post = (path: string, more: Partial<Exchange> = {}): Exchange => ({ method: 'POST', path, ...more })

export const EXCHANGES: readonly Exchange[] = [
  // The seed's operations.
  post('/rest/db/scan?folder=share', { exact: true }),
  post('/rest/db/scan?folder=share&sub=', { exact: true }),
  post('/rest/db/scan?folder=share&sub=a.txt', { exact: true }),
  post('/rest/db/scan?folder=share&sub=sub&sub=a.txt', { exact: true }),
  post('/rest/db/scan?folder=share&sub=never-was', { exact: true }),
  post('/rest/db/scan?folder=share&next=3600', { exact: true }),
  post('/rest/db/scan', { exact: true }),
  post('/rest/db/scan?folder=nope', { exact: true }),
  post('/rest/db/scan?folder=paused', { exact: true }),
  post('/rest/db/scan?folder=share&next=soon', { differs: { because: '12', status: 400 } }),
  post('/rest/db/scan?folder=share&sub=../x', { differs: { because: '11', status: 400 } }),
  { method: 'GET', path: '/rest/db/scan?folder=share', exact: true },
  post('/rest/db/prio?folder=share&file=a.txt', { exact: true }),
  post('/rest/db/prio?folder=nope&file=a.txt', { exact: true }),
  post('/rest/db/prio', { exact: true }),
  get('/rest/db/prio?folder=share', { exact: true }),
  get('/rest/system/debug', { without: ['facilities'] }), // decision 2: the 18 names
  post('/rest/system/debug?enable=model&disable=model', { exact: true }),
  post('/rest/system/debug?enable=nosuch', { exact: true }),
  { method: 'PUT', path: '/rest/system/debug', exact: true },
  get('/rest/system/discovery', { exact: true }),
  post('/rest/system/discovery?device=x&addr=y', { exact: true }),
  { method: 'DELETE', path: '/rest/system/discovery', exact: true },

  // The rest of the ground floor.
  get('/rest/system/ping', { exact: true }),
  post('/rest/system/ping', { exact: true }),
  get('/rest/system/version'),
  get('/rest/system/status', { without: ['connectionServiceStatus', 'lastDialStatus'] }), // keys are addresses
  get('/rest/system/paths'),
  get('/rest/noauth/health', { exact: true }),
  get('/rest/system/loglevels', { differs: { because: YOUNGER, status: 200 } }),
  get('/rest/system/log'),
  get('/rest/system/log.txt'),
  get('/rest/system/error', { without: ['errors'] }), // Syncthing complains about being root
  post('/rest/system/error/clear', { exact: true }),
  get('/rest/system/error', { exact: true }),
  post('/rest/system/error', { body: 'something is wrong', exact: true }),
  get('/rest/system/error'),
  get('/rest/db/status?folder=share', { without: ['remoteSequence'] }),
  get('/rest/db/status?folder=paused'),
  get('/rest/db/status?folder=nope', { exact: true }),
  get('/rest/db/status', { exact: true }),
  get('/rest/db/browse?folder=share', { exact: true }),
  get('/rest/db/browse?folder=share&levels=0', { exact: true }),
  get('/rest/db/browse?folder=share&levels=x', { exact: true }),
  get('/rest/db/browse?folder=share&dirsonly=false', { exact: true }),
  get('/rest/db/browse?folder=share&prefix=sub', { exact: true }),
  get('/rest/db/browse?folder=share&prefix=sub/', { exact: true }),
  get('/rest/db/browse?folder=share&prefix=a.txt', { exact: true }),
  get('/rest/db/browse?folder=share&prefix=../', { exact: true }),
  get('/rest/db/browse?folder=nope', { exact: true }),
  get('/rest/db/file?folder=share&file=a.txt'),
  get('/rest/db/file?folder=share&file=sub'),
  get('/rest/db/file?folder=share&file=../x', { exact: true }),
  get('/rest/db/file?folder=share&file=never-was', { exact: true }),
  get('/rest/db/file?folder=nope&file=a.txt', { exact: true }),
  get('/rest/db/need?folder=share', { exact: true }),
  get('/rest/db/need?folder=share&page=2&perpage=3', { exact: true }),
  get('/rest/db/need?folder=share&page=-2&perpage=x', { exact: true }),
  get('/rest/db/need?folder=nope', { exact: true }),
  get('/rest/db/ignores?folder=share', { exact: true }),
  post('/rest/db/ignores?folder=share', {
    body: { ignore: ['*.tmp', '// note', '/rooted', '!(?i)Keep', '(?d)x'] },
    exact: true,
  }),
  get('/rest/db/ignores?folder=share', { exact: true }),
  post('/rest/db/ignores?folder=share', { body: { ignore: [] }, exact: true }),
  post('/rest/db/ignores?folder=share', { body: '{"ignore": 1}' }),
  post('/rest/db/ignores?folder=share', { body: '{' }),
  get('/rest/folder/errors?folder=share', { exact: true }),
  get('/rest/folder/errors?folder=nope', { exact: true }),
  get('/rest/stats/folder'),
  get('/rest/events?since=0&timeout=0&limit=1', { without: ['0.data'] }),
  get('/rest/events?since=999999&timeout=0', { exact: true }),
  get('/rest/events?events=NoSuchType&timeout=0', { exact: true }),
  get('/rest/events/disk?since=999999&timeout=0', { exact: true }),
  // `restartOnWakeup` is gone from the configuration since 1.20.
  get('/rest/config', { without: ['folders', 'devices'] }),
  get('/rest/config/folders'),
  get('/rest/config/folders/share'),
  get('/rest/config/folders/nope', { exact: true }),
  get('/rest/config/devices'),
  get('/rest/config/options'),
  get('/rest/config/gui'),
  get('/rest/config/ldap'),
  get('/rest/config/defaults/folder'),
  get('/rest/config/defaults/device'),
  get('/rest/config/restart-required', { exact: true }),
  post('/rest/config/folders', { body: '{"id":' }),
  post('/rest/config/folders', { body: '{"path": "/nowhere"}' }),
  { method: 'PATCH', path: '/rest/config/folders/nope', body: {}, exact: true },
  { method: 'DELETE', path: '/rest/config/folders/nope', exact: true },
  { method: 'PATCH', path: '/rest/config/folders/share', body: { label: 'Shared' }, exact: true },
  { method: 'PUT', path: '/rest/config', body: { version: 1 }, differs: { because: '5', status: 400 }, oursOnly: true },

  // Folder types and versions.
  get('/rest/db/localchanged?folder=share', { exact: true }),
  get('/rest/db/localchanged?folder=share&page=2&perpage=7', { exact: true }),
  get('/rest/db/localchanged?folder=nope', { exact: true }),
  post('/rest/db/override?folder=share', { exact: true }),
  post('/rest/db/override?folder=nope', { exact: true }),
  post('/rest/db/revert?folder=share', { exact: true }),
  post('/rest/db/revert', { exact: true }),
  get('/rest/folder/versions?folder=share', { exact: true }),
  get('/rest/folder/versions?folder=nope', { exact: true }),
  get('/rest/folder/versions', { exact: true }),
  post('/rest/folder/versions?folder=share', { body: '{' }),
  post('/rest/folder/versions?folder=share', { body: { a: 'yesterday' } }),

  // The machine and the process.
  get('/rest/system/browse', { exact: true }),
  get('/rest/system/browse?current=/u'),
  get('/rest/system/browse?current=/nowhere/x', { exact: true }),
  get('/rest/svc/report', {
    without: [
      'folderUses',
      'folderUsesV3',
      'guiStats',
      'deviceUses',
      'transportStats',
      'announce',
      'relays',
      'customReleaseURL',
    ],
  }),
  get('/rest/svc/deviceid?id=xx', { without: ['error'] }),
  get('/rest/svc/deviceid?id=', { exact: true }),
  get('/rest/svc/random/string'),
  get('/rest/svc/random/string?length=-1'),
  get('/rest/svc/lang', { exact: true }),
  get('/rest/system/reset', { exact: true }),
  post('/rest/system/reset?folder=nope', { exact: true }),
  get('/rest/system/upgrade', { exact: true }),
  get('/rest/debug/file?folder=share&file=a.txt', { exact: true }),
  get('/rest/debug/peerCompletion', { exact: true }),
  get('/rest/debug/httpmetrics', { exact: true }),
  get('/rest/debug/cpuprof', { exact: true }),
  get('/rest/debug/heapprof', { exact: true }),
  get('/rest/debug/support', { exact: true }),
  get('/qr/?text=abc', { binary: true }),
  get('/themes.json'),

  // Other devices, of which there are none.
  get('/rest/system/connections', { without: ['connections'] }),
  post('/rest/system/pause?device=nonsense', { without: [''] }),
  post(`/rest/system/pause?device=${UNKNOWN_DEVICE}`, { exact: true }),
  post(`/rest/system/resume?device=${UNKNOWN_DEVICE}`, { exact: true }),
  get('/rest/cluster/pending/devices', { exact: true }),
  get('/rest/cluster/pending/folders', { exact: true }),
  get('/rest/cluster/pending/folders?device=nonsense'),
  { method: 'DELETE', path: '/rest/cluster/pending/devices?device=nonsense' },
  { method: 'DELETE', path: '/rest/cluster/pending/folders?folder=nope' },
  get('/rest/stats/device', { without: [''] }),
  get('/rest/db/completion?folder=share'),
  get('/rest/db/completion?folder=nope', { exact: true }),
  get('/rest/db/completion?folder=share&device=nonsense'),
  get('/rest/config/devices/nonsense'),
  get(`/rest/config/devices/${UNKNOWN_DEVICE}`, { exact: true }),
  get('/rest/config/defaults/ignores'),
  { method: 'PUT', path: '/rest/config/defaults/ignores', body: { lines: ['*.bak'] }, exact: true },
  get('/rest/config/defaults/ignores', { exact: true }),
  { method: 'POST', path: '/rest/config/defaults/ignores', body: {}, exact: true },
  { method: 'PATCH', path: '/rest/config/defaults/folder', body: { rescanIntervalS: 99 }, exact: true },
  { method: 'PATCH', path: '/rest/config/defaults/device', body: { compression: 'never' }, exact: true },
  { method: 'PATCH', path: '/rest/config/options', body: { maxFolderConcurrency: 3 }, exact: true },
  { method: 'PATCH', path: '/rest/config/ldap', body: { address: 'localhost:1' }, exact: true },
  { method: 'PATCH', path: '/rest/config/options', body: { maxFolderConcurrency: 'three' } },
  { method: 'DELETE', path: '/rest/config/options', exact: true },
  get('/rest/system/config', { without: ['folders', 'devices'] }),
  get('/rest/system/config/insync', { exact: true }),
  get('/rest/config/insync', { exact: true }),
  { method: 'PUT', path: '/rest/system/config', body: {}, exact: true },
  { method: 'PATCH', path: '/rest/config/folders/share', body: { type: 'nonsense' }, exact: true },
  // Debian's Syncthing ends in a panic over this one.
  {
    method: 'PATCH',
    path: '/rest/config/folders/share',
    body: { versioning: { type: 'nonsense' } },
    differs: { because: 'config.md 2', status: 500 },
    oursOnly: true,
  },
  { method: 'PUT', path: '/rest/config/folders/share', body: { path: '/nowhere' } },
  { method: 'PUT', path: '/rest/config/folders', body: { not: 'a list' } },

  // Wrong ways in.
  get('/rest/nope', { exact: true }),
  get('/rest/db/nope?folder=share', { exact: true }),
  get('/rest/system/ping', { apiKey: 'wrong', exact: true }),
  get('/rest/nope', { apiKey: '', exact: true }),
  post('/rest/db/scan?folder=share', { apiKey: '', exact: true }),
  post('/rest/system/discovery', { apiKey: '', exact: true }),
  { method: 'OPTIONS', path: '/rest/db/scan', exact: true },
  { method: 'HEAD', path: '/rest/system/ping' },
  { method: 'PATCH', path: '/rest/db/status', exact: true },
  post('/rest/db/scan/?folder=share'),
  get('/rest/system/ping/'),
  get('/rest/System/Ping'),
]
