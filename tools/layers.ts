/** Which folder may import which. A folder may import those in its row and itself, nothing else. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  platform: ['core'],
  rest: ['core'],
  sync: ['core', 'platform'],
  events: ['core', 'platform', 'sync'],
  config: ['core', 'platform', 'sync', 'events'],
  db: ['core', 'platform', 'sync', 'events'],
  versioner: ['core', 'platform', 'sync', 'events'],
  protocol: ['core', 'platform', 'sync', 'events'],
  dialer: ['core', 'platform', 'sync', 'events'],
  beacon: ['core', 'platform', 'sync', 'events'],
  scanner: ['core', 'platform', 'sync', 'events'],
  stats: ['core', 'platform', 'sync', 'events', 'db'],
  upnp: ['core', 'platform', 'sync', 'events', 'dialer'],
  relay: ['core', 'platform', 'sync', 'events', 'dialer'],
  upgrade: ['core', 'platform', 'sync', 'events', 'dialer'],
  discover: ['core', 'platform', 'sync', 'events', 'beacon', 'dialer'],
  hooks: ['core', 'platform', 'sync', 'events'],
  schedule: ['core', 'platform', 'sync', 'events'],
  connections: ['core', 'platform', 'sync', 'events', 'protocol', 'dialer', 'discover', 'relay', 'upnp'],
  model: ['core', 'platform', 'sync', 'events', 'protocol', 'db', 'scanner', 'versioner', 'stats'],
  http: ['core', 'platform', 'rest', 'sync', 'events'],
  client: ['core', 'rest'],
  cli: ['core', 'rest', 'client'],
  main: ['*'],
}

/** Folders of which another may import types, and types only. */
export const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = {
  events: ['rest'],
  schedule: ['config'],
  http: ['config', 'model', 'connections', 'discover', 'hooks', 'schedule', 'stats', 'upgrade', 'upnp'],
}

/**
 * Inside a folder imports run one way, too: from the bottom up, a file may import its own row and those above it here.
 * A row is a file at the top of the folder, a folder below it, or `*`: all files at the top that have no row.
 */
export const ROWS: Readonly<Record<string, readonly string[]>> = {
  core: [
    '*',
    'wire',
    'formats',
    'ignore',
    'schedule',
    'config',
    'network',
    'releases',
    'attributes',
    'records',
    'history',
    'guard',
    'remedies',
    'rewind',
    'conflicts',
    'diff',
    'merge',
    'encryption',
    'webdav',
    'move',
    'hooks',
    'invitations',
    'setup',
    'ldap',
    'series',
    'doctor',
  ],
  platform: ['*', 'files', 'platform.ts', 'sim', 'node'],
  'platform/node': ['native', 'disk', 'threads', 'net', 'http', '*'],
  db: ['types.ts', 'sqlite', 'leveldb', 'blocks', 'history', 'bases', 'folder', '*', 'syncthing'],
  http: ['types.ts', 'formats', 'pipeline', 'views', 'access', 'static', 'routes', 'webdav', '*'],
  main: [
    'single-file',
    'args',
    'version.ts',
    'installation.ts',
    'gui-directory.ts',
    'last-handler.ts',
    'browser.ts',
    'audit.ts',
    'shutdown.ts',
    'home',
    'warnings.ts',
    'network-use.ts',
    'start-options.ts',
    'network.ts',
    'device-base.ts',
    'disk-spaces.ts',
    'doctor-facts.ts',
    'hook-states.ts',
    'series.ts',
    'setup.ts',
    'schedule.ts',
    'take-over.ts',
    'rest-server.ts',
    'device-services.ts',
    'daemon.ts',
    'serve.ts',
    'demo',
    'service',
    'decrypt',
    'commands',
    '*',
  ],
  model: [
    'types.ts',
    'signals.ts',
    'state',
    'encryption',
    'tree',
    'content',
    'puller',
    'deps.ts',
    'override.ts',
    'move',
    'rewind',
    'folder',
    'peers',
    '*',
    'queries',
    'model.ts',
  ],
}

/** The row of a file in one of the folders above; -1 if the table has none. */
export function rowOf(folder: string, file: string): number {
  const rows = ROWS[folder] ?? []
  const inside = file.slice(`src/${folder}/`.length)
  const first = inside.split('/')[0] ?? ''
  const named = rows.indexOf(first)
  return named >= 0 ? named : first === inside ? rows.indexOf('*') : -1
}
