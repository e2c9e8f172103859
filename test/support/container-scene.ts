/** A container as people start it, by the sample for compose, and what they expect of it. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { chownSync, copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { messageOf } from '../../src/core/errors.ts'
import { endOf } from './command.ts'
import { collect, ContainerMachine } from './container-machine.ts'
import type { ImageSettings } from './containerfile.ts'
import { eventually } from './scratch.ts'

const SETUP = join(import.meta.dirname, '..', '..', 'docs', 'setup')
const OTHER_OWNER = { uid: 1_026, gid: 100 }
const LOG_SECONDS_OFF_MAX = 600

export interface BuiltImage {
  readonly root: string
  readonly settings: ImageSettings
  /** What the engine has to mount to run it at all. */
  readonly mounts: Readonly<Record<string, string>>
}

interface Compose {
  readonly services: {
    readonly twinfold: {
      readonly hostname: string
      readonly environment: Readonly<Record<string, string | number>>
      readonly volumes: readonly string[]
      readonly secrets: readonly string[]
    }
  }
}

/** Starts the service of the sample, whose volumes are made below the directory, with another UMASK. */
export async function checkService(image: BuiltImage, directory: string): Promise<void> {
  const { twinfold: service } = (parse(readFileSync(join(SETUP, 'compose.yaml'), 'utf8')) as Compose).services
  const mounts: Record<string, string> = { ...image.mounts }
  for (const [source = '', place = ''] of service.volumes.map((volume) => volume.split(':'))) {
    mounts[place] = join(directory, source)
    mkdirSync(mounts[place], { mode: 0o755 })
  }
  for (const name of service.secrets) {
    mounts[`/run/secrets/${name}`] = join(directory, name)
    copyFileSync(join(SETUP, name), join(directory, name))
  }
  chownSync(join(directory, 'photos'), OTHER_OWNER.uid, OTHER_OWNER.gid)
  const given = Object.entries(service.environment).map(([name, value]) => [name, String(value)])
  const environment = { ...image.settings.environment, ...Object.fromEntries(given), UMASK: '027' }
  await using machine = await ContainerMachine.start({ root: image.root, hostName: service.hostname, mounts })
  const inImage = { environment, directory: image.settings.directory }
  const main = machine.start([...image.settings.entryPoint, ...image.settings.command], inImage)
  const [out, err] = [collect(main.stdout), collect(main.stderr)]
  const said = () => `${out()}${err()}`
  try {
    await eventually('the page', () => /http:\/\/127\.0\.0\.1:8384/.exec(out())?.[0])
    await checkProcess(machine)
    checkOutput(said(), environment['TZ'] ?? '')
    const health = await machine.run(image.settings.healthCheck, inImage)
    assert.deepEqual(health, { code: 0, out: '', err: '' })

    const home = statSync(join(directory, 'config', 'config.xml'))
    assert.deepEqual([home.uid, home.gid], [1_000, 1_000], 'the home is that which is mounted at /config')
    const added = await machine.run(['twinfold', 'folder', 'add', '/data/new'], inImage)
    assert.equal(added.code, 0, added.err)
    const made = statSync(join(image.root, 'data', 'new'))
    assert.deepEqual([made.uid, made.gid, made.mode & 0o777], [1_000, 1_000, 0o750], 'made by PUID, with UMASK')
    const exported = await machine.run(['twinfold', 'export'], inImage)
    assert.match(exported.out, /id: photos/, `the set-up file was applied: ${exported.err}`)
    checkName(join(directory, 'config', 'config.xml'), service.hostname)
    await stop(machine, main)
  } catch (error) {
    throw new Error(`${messageOf(error)}\nThe container:\n${said()}`, { cause: error })
  }
}

function checkName(file: string, hostName: string): void {
  const names = [...readFileSync(file, 'utf8').matchAll(/<device id="[^"]+" name="([^"]*)"/g)].map(([, name]) => name)
  assert.ok(names.includes(hostName), `a device has the name of the host, ${hostName}: ${names.join(' ')}`)
}

async function checkProcess(machine: ContainerMachine): Promise<void> {
  const pids = machine.find('/dist/main/container.js')
  assert.ok(pids.length > 0)
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const valueOf = (name: string) => new RegExp(`^${name}:\\s*(.*?)\\s*$`, 'm').exec(status)?.[1]?.split(/\s+/)
    assert.deepEqual(valueOf('Uid'), Array(4).fill('1000'))
    assert.deepEqual(valueOf('Gid'), Array(4).fill('1000'))
    assert.deepEqual([valueOf('Groups'), valueOf('Umask')], [['1000'], ['0027']])
  }
}

function checkOutput(text: string, timeZone: string): void {
  const { uid, gid } = OTHER_OWNER
  const remedy = `set PUID=${uid} and PGID=${gid}, or change the owner of the directory`
  assert.ok(text.includes(`/srv/photos belongs to ${uid}:${gid} and this daemon runs as 1000: ${remedy}`), text)
  assert.equal(text.match(/belongs to/g)?.length, 1, text)
  assert.match(text, /folder photos did not get its ignore patterns and stays paused: EACCES/)
  const [, day, time] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(text) ?? []
  assert.ok(timeZone !== '' && day !== undefined && time !== undefined, text)
  const there = new Date(new Date().toLocaleString('sv', { timeZone }).replace(' ', 'T'))
  const offS = Math.abs(there.getTime() - new Date(`${day}T${time}`).getTime()) / 1_000
  assert.ok(offS < LOG_SECONDS_OFF_MAX, `${day} ${time} is the time of ${timeZone}, ${there}`)
}

async function stop(machine: ContainerMachine, main: ChildProcess): Promise<void> {
  for (const pid of machine.find('/dist/main/container.js')) process.kill(pid, 'SIGTERM')
  assert.equal(await endOf(main), 0)
}

/** The home where images of Syncthing have it. */
export async function checkOtherHome(image: BuiltImage, directory: string): Promise<void> {
  const volume = join(directory, 'syncthing')
  mkdirSync(volume)
  chownSync(volume, 1_000, 1_000)
  const mounts = { ...image.mounts, '/var/syncthing': volume }
  await using machine = await ContainerMachine.start({ root: image.root, mounts })
  const { environment, entryPoint, directory: inside } = image.settings
  const made = await machine.run([...entryPoint, 'generate'], { environment, directory: inside })
  assert.equal(made.code, 0, made.err)
  const { uid, gid } = statSync(join(volume, 'config', 'config.xml'))
  assert.deepEqual([uid, gid], [1_000, 1_000])
}
