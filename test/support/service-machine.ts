import assert from 'node:assert/strict'
import { runService } from '../../src/main/service/command.ts'
import { parseCommandLine } from '../../src/cli/args/parse.ts'
import { COMMANDS } from '../../src/main/commands/table.ts'
import { readServiceRequest, SERVICE_VERBS, type ServiceRequest } from '../../src/main/service/flags.ts'
import type { ServiceMachine } from '../../src/main/service/machine.ts'
import type { ServicePlatform } from '../../src/main/service/types.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'

const SCRIPT = '/usr/lib/node_modules/twinfold/dist/main/bin.js'

/** How a program ended. */
export const exitedWith = (output = '', code = 0) => ({ kind: 'exited', code, output }) as const

interface Options {
  readonly environment?: Readonly<Record<string, string>>
  readonly platform?: ServicePlatform
  readonly isRoot?: boolean
  readonly script?: string
}

/** A machine with a Node and a Twinfold on a simulated disk, whose programs are stubs of the test. */
export async function createMachine(options: Options = {}) {
  const { disk, programs, ...ports } = createSimPlatform(1)
  const calls: string[] = []
  let answer: (line: string) => ReturnType<typeof exitedWith> = () => exitedWith()
  programs.act = async ({ program, args }) => {
    const line = [program, ...args].join(' ')
    calls.push(line)
    return answer(line)
  }
  const put = async (path: string, text: string) => {
    await disk.makeDirectories(path.slice(0, path.lastIndexOf('/')), 0o755)
    await disk.removeFile(path).catch(() => {})
    await using file = await disk.open(path, 'create', 0o755)
    await file.write(Buffer.from(text), 0)
  }
  await put('/usr/bin/node', '')
  await put(SCRIPT, '')
  await put('/usr/lib/node_modules/twinfold/package.json', '{"version":"1.2.3"}')
  const existing = new Set(['/srv/data', '/home/bob/.local/state/syncthing', '/usr/bin/node', SCRIPT])
  const machine: ServiceMachine = {
    disk,
    programs,
    signal: new AbortController().signal,
    platform: options.platform ?? 'systemd',
    environment: options.environment ?? {},
    account: { user: 'ann', userId: 1000, userHome: '/home/ann' },
    isRoot: options.isRoot ?? false,
    workingDirectory: '/work',
    temporaryDirectory: '/tmp',
    node: '/usr/bin/node',
    script: options.script ?? SCRIPT,
    version: 'v1.0.0',
    exists: (path) => existing.has(path),
  }
  const read = async (path: string) => {
    await using file = await disk.open(path, 'read')
    const data = Buffer.alloc((await file.stat()).sizeBytes)
    await file.read(data, 0)
    return data
  }
  /** Runs the command; its output is in `out` and `err`. */
  const service = async (...words: string[]) => {
    calls.length = 0
    const out: string[] = []
    const err: string[] = []
    const request = readRequest(words, machine)
    const code = await runService(machine, request, {
      print: (text) => out.push(text),
      printError: (text) => err.push(text),
    })
    return { code, out: out.join('\n'), err: err.join('\n'), calls: [...calls] }
  }
  const exists = (path: string) =>
    disk.lstat(path).then(
      () => true,
      () => false,
    )
  return { ...ports, disk, service, put, read, exists, answerWith: (next: typeof answer) => (answer = next) }
}

function readRequest(args: readonly string[], { environment, platform }: ServiceMachine): ServiceRequest {
  const parsed = parseCommandLine(COMMANDS, ['service', ...args], environment)
  assert.ok(parsed.kind === 'run' && parsed.command.name === 'service')
  const verb = SERVICE_VERBS.find((name) => name === parsed.args[0])
  assert.ok(verb !== undefined)
  return readServiceRequest(verb, parsed.flags, environment, platform)
}
