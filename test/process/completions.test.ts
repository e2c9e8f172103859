/** The completion scripts in the shells that they are for, on a terminal. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testProgram } from '../../tools/test-program.ts'
import { missingProgram } from '../support/debian.ts'
import { killOnExit } from '../support/kill-on-exit.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

/** A directory with a program that completes two names and prints its other arguments, and the script of a shell. */
function setUp(shell: string) {
  const scratch = scratchDirectory()
  const program = join(scratch.path, 'twinfold')
  const names = `printf '%s\\n' photos 'my letters'`
  writeFileSync(program, `#!/bin/sh\nif [ "$1" = complete-names ]; then ${names}; else echo "RAN:[$*]"; fi\n`)
  chmodSync(program, 0o755)
  const made = spawnSync(process.execPath, [testProgram(), 'install-completions', shell], { encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
  const script = join(scratch.path, 'script')
  writeFileSync(script, made.stdout)
  const env = { ...process.env, PATH: `${scratch.path}:${process.env['PATH']}`, TERM: 'dumb', HOME: scratch.path }
  return { script, env, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

/** What is run after each line was typed, with a tab as the key that completes. */
async function typed(
  command: string,
  first: string,
  lines: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const child = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: 'pipe' })
  killOnExit(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => void (output += String(data)))
  const ran = () => [...output.matchAll(/^RAN:\[(.*)\]\r?$/gm)].map(([, args = '']) => args)
  const afterEach = async (line: string, count: number) => {
    child.stdin.write(`${line}\n`)
    await eventually(`"${line}" in ${command}: ${output}`, () => ran().length >= count || undefined)
  }
  await afterEach(`${first}; twinfold ready`, 1)
  for (const [index, line] of lines.entries()) await afterEach(line, index + 2)
  child.stdin.end('exit\n')
  return ran().slice(1)
}

const LINES = ['twinfold fold\tli\t', 'twinfold status ph\t', 'twinfold status my\t', 'twinfold folder list --js\t']
const EXPECTED = ['folder list', 'status photos', 'status my letters', 'folder list --json']

test('bash completes commands, flags and names', { skip: missingProgram('script', 'bsdutils') }, async () => {
  using shell = setUp('bash')
  const start = `PS1='$ '; source '${shell.script}'`
  assert.deepEqual(await typed('bash --norc --noprofile -i', start, LINES, shell.env), EXPECTED)
})

test(
  'zsh completes commands, flags and names',
  { skip: missingProgram('zsh', 'zsh') ?? missingProgram('script', 'bsdutils') },
  async () => {
    using shell = setUp('zsh')
    const start = `autoload -U compinit; compinit -u -D; PS1='$ '; source '${shell.script}'`
    assert.deepEqual(await typed('zsh -f -i', start, LINES, shell.env), EXPECTED)
  },
)

test('fish completes commands, flags and names', { skip: missingProgram('fish', 'fish') }, () => {
  using shell = setUp('fish')
  const candidates = (line: string): readonly string[] => {
    const args = ['--no-config', '-c', `source '${shell.script}'; complete -C '${line}'`]
    const { status, stdout, stderr } = spawnSync('fish', args, { env: shell.env, encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
    return stdout.split('\n').flatMap((each) => (each === '' ? [] : [each.split('\t')[0]!]))
  }
  assert.deepEqual(candidates('twinfold fold'), ['folder'])
  assert.deepEqual(candidates('twinfold folder li'), ['list'])
  assert.deepEqual(candidates('twinfold status ph'), ['photos'])
  assert.deepEqual(candidates('twinfold status my'), ['my letters'])
  assert.deepEqual(candidates('twinfold folder list --js'), ['--json'])
})
