import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/scratch.ts'
import { freePort } from '../support/free-port.ts'
import { generateSyncthingHome, quietConfig, Syncthing, syncthingDeviceId } from '../support/syncthing.ts'
import { missingSyncthingProgram } from '../support/syncthing-program.ts'
import { startWindows, windowsDirectory, windowsPath } from '../support/windows.ts'
import { differing, FOLDER, itemErrors, put, scan } from './scene.ts'

/** The one of Debian 13, and a newer one where its path is given. */
const PROGRAMS = ['', process.env['SYNCTHING2_BIN'] ?? undefined].filter((path) => path !== undefined)

for (const program of PROGRAMS)
  test(`Windows and the real Syncthing ${program === '' ? '1.x' : '2.x'} on Linux in sync both ways`, async () => {
    process.env['TWINFOLD_SYNCTHING'] = program
    assert.equal(missingSyncthingProgram(), undefined)
    using scratch = windowsDirectory()
    const home = join(scratch.path, 'syncthing-home')
    const root = join(scratch.path, 'syncthing')
    mkdirSync(root)
    generateSyncthingHome(home, [])
    const port = await freePort()
    quietConfig(home, { listenAddress: `tcp://127.0.0.1:${port}`, reconnectionIntervalS: '2' })
    await using windows = await startWindows(scratch.path)
    await using real = await new Syncthing({ home, before: [] }).ready()
    const id = syncthingDeviceId(home, [])
    for (const [at, prefix] of [
      [windows.root, 'w'],
      [root, 's'],
    ] as const) {
      for (let i = 0; i < 12; i++)
        put(at, `${prefix}/a${i % 2}/b/c${i % 3}/${i}.txt`, `${prefix}${i}`, 1_600_000_000 + i)
      put(at, `${prefix}/large/deep.bin`, Buffer.alloc(2_000_000, prefix))
    }
    await windows.daemon.post('/rest/config/devices', { deviceID: id, addresses: [`tcp://127.0.0.1:${port}`] })
    await windows.daemon.addFolder(FOLDER, windowsPath(windows.root), { devices: [{ deviceID: id }] })
    await real.post('/rest/config/devices', { deviceID: windows.id, addresses: [`tcp://127.0.0.1:${windows.port}`] })
    await real.addFolder(FOLDER, root, { devices: [{ deviceID: windows.id }] })
    const equal = async () => {
      await eventually('equal trees', () => (differing(windows.root, root).length === 0 ? true : undefined)).catch(
        async (error: unknown) => {
          const errors = [...(await itemErrors(windows))]
          throw new Error(`${String(error)}: ${JSON.stringify({ differing: differing(windows.root, root), errors })}`)
        },
      )
    }
    await equal()

    put(windows.root, 's/a0/b/c0/0.txt', 'edited on Windows')
    put(root, 'w/a0/b/c0/0.txt', 'edited by Syncthing')
    renameSync(join(windows.root, 's/large'), join(windows.root, 's/renamed'))
    rmSync(join(root, 'w/a1'), { recursive: true })
    await scan(windows)
    await real.post(`/rest/db/scan?folder=${FOLDER}`)
    await equal()
    assert.equal(readFileSync(join(root, 's/a0/b/c0/0.txt'), 'utf8'), 'edited on Windows')
    assert.equal(readFileSync(join(windows.root, 'w/a0/b/c0/0.txt'), 'utf8'), 'edited by Syncthing')
  })
