import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLocations, type LocationFacts } from '../../src/core/find-locations.ts'

/** A machine with the given files. */
function machine(facts: Partial<LocationFacts>, files: readonly string[] = []): LocationFacts {
  return {
    platform: 'linux',
    environment: {},
    userHome: '/home/ann',
    workingDirectory: '/work',
    exists: (path) => files.includes(path),
    ...facts,
  }
}

const homes: [name: string, facts: LocationFacts, config: string, data: string][] = [
  [
    'a new home is in the state directory',
    machine({}),
    '/home/ann/.local/state/syncthing',
    '/home/ann/.local/state/syncthing',
  ],
  ['or in XDG_STATE_HOME', machine({ environment: { XDG_STATE_HOME: '/st' } }), '/st/syncthing', '/st/syncthing'],
  [
    'a relative XDG_STATE_HOME does not count',
    machine({ environment: { XDG_STATE_HOME: 'st' } }),
    '/home/ann/.local/state/syncthing',
    '/home/ann/.local/state/syncthing',
  ],
  [
    'an old home is found with its index',
    machine({}, ['/home/ann/.config/syncthing/config.xml', '/home/ann/.config/syncthing/index-v0.14.0.db']),
    '/home/ann/.config/syncthing',
    '/home/ann/.config/syncthing',
  ],
  [
    'XDG_CONFIG_HOME comes first where it holds a configuration',
    machine({ environment: { XDG_CONFIG_HOME: '/cfg' } }, [
      '/cfg/syncthing/config.xml',
      '/home/ann/.config/syncthing/config.xml',
      '/cfg/syncthing/index-v2',
    ]),
    '/cfg/syncthing',
    '/cfg/syncthing',
  ],
  [
    'XDG_CONFIG_HOME without one is passed over',
    machine({ environment: { XDG_CONFIG_HOME: '/cfg' } }),
    '/home/ann/.local/state/syncthing',
    '/home/ann/.local/state/syncthing',
  ],
  [
    'data may be apart',
    machine({ environment: { XDG_DATA_HOME: '/data' } }, [
      '/home/ann/.config/syncthing/config.xml',
      '/data/syncthing/index-twinfold',
    ]),
    '/home/ann/.config/syncthing',
    '/data/syncthing',
  ],
  [
    'a configuration without an index: data starts in the state directory',
    machine({}, ['/home/ann/.config/syncthing/config.xml']),
    '/home/ann/.config/syncthing',
    '/home/ann/.local/state/syncthing',
  ],
  ['--home is both', machine({ home: '/h' }), '/h', '/h'],
  ['--home may be relative', machine({ home: 'h' }), '/work/h', '/work/h'],
  ['--home may start with a tilde', machine({ home: '~/h' }), '/home/ann/h', '/home/ann/h'],
  ['--config and --data', machine({ config: '/c', data: 'd' }), '/c', '/work/d'],
  [
    'macOS',
    machine({ platform: 'darwin', userHome: '/Users/ann' }),
    '/Users/ann/Library/Application Support/Syncthing',
    '/Users/ann/Library/Application Support/Syncthing',
  ],
  [
    'Windows',
    machine({
      platform: 'win32',
      userHome: 'C:\\Users\\ann',
      environment: { LOCALAPPDATA: 'C:\\L', APPDATA: 'C:\\R' },
    }),
    'C:\\L\\Syncthing',
    'C:\\L\\Syncthing',
  ],
  [
    'Windows without a local directory',
    machine({ platform: 'win32', userHome: 'C:\\Users\\ann', environment: { APPDATA: 'C:\\R' } }),
    'C:\\R\\Syncthing',
    'C:\\R\\Syncthing',
  ],
]
for (const [name, facts, config, data] of homes) {
  test(`locations: ${name}`, () => {
    const { configDirectory, dataDirectory } = findLocations(facts)
    assert.deepEqual([configDirectory, dataDirectory], [config, data])
  })
}

test('locations: the files of a home', () => {
  const found = findLocations(machine({ config: '/c', data: '/d' }))
  assert.equal(found.configFile, '/c/config.xml')
  assert.equal(found.keyFile, '/c/key.pem')
  assert.equal(found.httpsCertificateFile, '/c/https-cert.pem')
  assert.equal(found.databaseDirectory, '/d/index-twinfold')
  assert.equal(found.lockFile, '/d/syncthing.lock')
  assert.equal(found.guiAssetsDirectory, '/c/gui')
  assert.equal(found.defaultFolder, '/home/ann/Sync')
})

test('locations: --config without --data is refused', () => {
  assert.throws(() => findLocations(machine({ config: '/c' })), {
    code: 'usage',
    message: /either both or none of --config and --data/,
  })
})

const logs: [given: string | undefined, platform: string, expected: string][] = [
  [undefined, 'linux', '-'],
  ['-', 'linux', '-'],
  ['default', 'linux', '/h/syncthing.log'],
  ['x.log', 'linux', '/work/x.log'],
]
for (const [given, platform, expected] of logs) {
  test(`locations: log file ${String(given)}`, () => {
    assert.equal(
      findLocations(machine({ platform, home: '/h', ...(given !== undefined && { logFile: given }) })).logFile,
      expected,
    )
  })
}
