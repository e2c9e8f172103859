import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { completionScript, parseShell, SHELLS, type FlagValues, type WordTable } from '../../src/cli/completions.ts'

const TABLE: WordTable = new Map([
  ['', { words: ['folder', 'serve', '--home'] }],
  ['folder', { words: ['add', 'list', '--json'] }],
  ['folder add', { words: ['--id', '--label'] }],
  ['folder share', { words: [], names: ['folders', 'devices'] }],
])
const FLAGS: FlagValues = new Map([
  ['--home', undefined],
  ['--id', undefined],
  ['--device', 'devices'],
])

/** What bash offers at the last of the args. */
function offered(script: string, args: readonly string[]): readonly string[] {
  const complete = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _twinfold_complete'
  const command = `${script}\n${complete}; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command, 'bash', ...args], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout.split('\n').filter((line) => line !== '')
}

test('bash completes the candidates of the position by prefix, and nothing elsewhere', () => {
  const script = completionScript('bash', 'twinfold', TABLE, FLAGS)
  assert.deepEqual(offered(script, ['twinfold', '']), ['folder', 'serve', '--home'])
  assert.deepEqual(offered(script, ['twinfold', 'f']), ['folder'])
  assert.deepEqual(offered(script, ['twinfold', 'folder', '']), ['add', 'list', '--json'])
  assert.deepEqual(offered(script, ['twinfold', '--home', '/tmp/$(x) *', 'folder', 'add', 'Photos', '--']), [
    '--id',
    '--label',
  ])
  assert.deepEqual(offered(script, ['twinfold', 'folder', 'list', 'z']), [])
  assert.match(script, /^complete -o default -F _twinfold_complete twinfold$/m)
})

test('bash completes names of the daemon of the home, quoted, by the position of the argument', () => {
  // Stands for the program: prints its arguments and two names.
  const program = `twinfold() { printf '%s\\n' "$*" 'my photos' '$(x)'; }`
  const script = `${program}\n${completionScript('bash', 'twinfold', TABLE, FLAGS)}`
  const names = ['my\\ photos', '\\$\\(x\\)']
  assert.deepEqual(offered(script, ['twinfold', 'folder', 'share', '']), ['complete-names\\ folders', ...names])
  assert.deepEqual(offered(script, ['twinfold', '--home', '/a b', 'folder', 'share', 'x', '']), [
    'complete-names\\ devices\\ --home\\ /a\\ b',
    ...names,
  ])
  assert.deepEqual(offered(script, ['twinfold', 'folder', 'share', 'x', 'y', '']), [])
  assert.deepEqual(offered(script, ['twinfold', 'folder', 'add', '--device', 'my']), names.slice(0, 1))
})

test('every script names the line that enables it', () => {
  for (const shell of SHELLS) {
    const script = completionScript(shell, 'syncthing', TABLE, FLAGS)
    assert.ok(script.startsWith('# Completes the commands and flags of syncthing.'), shell)
    assert.match(script, new RegExp(`^#   .*syncthing install-completions ${shell}`, 'm'))
    assert.ok(!script.includes('twinfold'))
  }
  assert.match(
    completionScript('fish', 'twinfold', TABLE, FLAGS),
    /^complete -c twinfold -n "__twinfold_at 'folder add'" -a '--id --label'$/m,
  )
  assert.match(completionScript('zsh', 'twinfold', TABLE, FLAGS), /^autoload -U \+X bashcompinit && bashcompinit$/m)
})

test('the shell is the given one, else the login shell; another one is refused', () => {
  assert.equal(parseShell('fish', '/bin/bash'), 'fish')
  assert.equal(parseShell(undefined, '/usr/local/bin/zsh'), 'zsh')
  assert.equal(parseShell(undefined, 'bash'), 'bash')
  for (const [named, own] of [
    ['tcsh', '/bin/bash'],
    [undefined, '/bin/sh'],
    [undefined, undefined],
    ['', '/bin/bash'],
  ] as const) {
    assert.throws(() => parseShell(named, own), { code: 'usage', message: 'name the shell: bash, zsh or fish' })
  }
})

test('a candidate with special characters of a shell is refused', () => {
  assert.throws(() => completionScript('bash', 'twinfold', new Map([['', { words: ["a' b"] }]]), FLAGS), /needs quotes/)
})
