/** Commands that need no running daemon, or start one of their own. */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { endOf, runCommand, startCommand } from '../support/command.ts'
import { freePort } from '../support/free-port.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const scratch = scratchDirectory()

after(() => scratch[Symbol.dispose]())

test('over TLS only the certificate of the home is trusted', async () => {
  const own = join(scratch.path, 'tls')
  const port = await freePort()
  const address = `https://127.0.0.1:${port}`
  const server = startCommand(['serve', '--home', own, '--gui-address', address])
  try {
    await eventually('the daemon', async () =>
      (await runCommand(['status', '--home', own, '--gui-address', address])).code === 0 ? true : undefined,
    )
    const certificate = join(own, 'https-cert.pem')
    writeFileSync(certificate, readFileSync(join(own, 'cert.pem')))
    const { code, err } = await runCommand(['status', '--home', own, '--gui-address', address])
    assert.equal(code, 1)
    assert.match(err, /certificate is not the one in the home/)
  } finally {
    server.kill('SIGTERM')
    await endOf(server)
  }
})

test('generate creates a home once, private; device-id and paths read it', async () => {
  const own = join(scratch.path, 'made')
  const made = await runCommand(
    ['generate', '--home', own, '--gui-user', 'me', '--gui-password', '-', '--no-port-probing'],
    { input: 'secret ü\nrest' },
  )
  assert.equal(made.code, 0, made.err)
  const [, id] = /^Device ID: ([A-Z2-7-]{63})\n$/.exec(made.out) ?? []
  assert.ok(id !== undefined, made.out)
  assert.deepEqual(
    [own, join(own, 'config.xml'), join(own, 'key.pem')].map((path) => (statSync(path).mode & 0o777).toString(8)),
    ['700', '600', '600'],
  )
  const config = readFileSync(join(own, 'config.xml'), 'utf8')
  assert.match(config, /<user>me<\/user>\s*<password>\$2a\$10\$/)
  assert.ok(!config.includes('secret'))

  const key = readFileSync(join(own, 'key.pem'), 'utf8')
  const again = await runCommand(['generate', '--home', own])
  assert.deepEqual([again.code, again.out], [0, `Device ID: ${id}\n`])
  assert.match(again.err, /WARNING: Key exists; will not overwrite\./)
  assert.equal(readFileSync(join(own, 'key.pem'), 'utf8'), key)

  for (const args of [
    ['device-id', '--home', own],
    ['--home', own, 'device-id'],
    ['--device-id', '--home', own],
    ['-home', own, '-device-id'],
  ]) {
    assert.deepEqual(await runCommand(args), { code: 0, out: `${id}\n`, err: '' })
  }
  assert.deepEqual(JSON.parse((await runCommand(['device-id', '--json', '--home', own])).out), { deviceID: id })
  for (const args of [
    ['paths', '--home', own],
    ['--paths', '--home', own],
  ]) {
    const { code, out } = await runCommand(args)
    assert.equal(code, 0)
    assert.ok(
      out.startsWith(
        `Configuration file:\n\t${own}/config.xml\n\nDevice private key & certificate files:\n\t${own}/key.pem\n` +
          `\t${own}/cert.pem\n\n`,
      ),
      out,
    )
    assert.match(out, /^Log file:\n\tnone: the log goes to standard output; "serve --log-file FILE" writes one$/m)
  }
})

const mistakes: [args: string[], message: RegExp][] = [
  [['--no-such-flag'], /^twinfold: error: unknown flag --no-such-flag\n/],
  [['serve', '--no-such-flag'], /^twinfold: error: unknown flag --no-such-flag\n/],
  [['bogus'], /^twinfold: error: unexpected argument bogus\n/],
  [['device-id', 'bogus'], /^twinfold: error: unexpected argument bogus\n/],
  [
    ['--config', '/nowhere'],
    /command line options: either both or none of --config and --data must be given, use --home to set both at once/,
  ],
  [['device-id', '--home', '/nowhere/at/all'], /there is no device in \/nowhere\/at\/all/],
  [['serve', '--home', '/dev/null/x'], /^twinfold: error: .*\/dev\/null/],
  [['upgrade', '--from', 'http://192.0.2.1/x'], /releasesURL http:\/\/192\.0\.2\.1\/x: must be the https address/],
]
for (const [args, message] of mistakes) {
  test(`${args.join(' ')}: code 1 and one clear sentence`, async () => {
    const { code, out, err } = await runCommand(args)
    assert.deepEqual({ code, out }, { code: 1, out: '' })
    assert.match(err, message)
    assert.doesNotMatch(err, /\n +at /, 'no stack trace')
  })
}

test('browser: without a daemon it opens nothing and fails; with one it shows the address', async () => {
  const own = join(scratch.path, 'no-daemon')
  const address = `127.0.0.1:${await freePort()}`
  const words = ['browser', '--home', own, '--gui-address', address]
  const env = { PATH: scratch.path } // no browser is found there
  assert.equal((await runCommand(['generate', '--home', own, '--no-port-probing'])).code, 0)
  const refused = await runCommand(words, { env })
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /no daemon responds at http:\/\/127\.0\.0\.1:\d+/)
  const server = startCommand(['serve', '--home', own, '--no-browser', '--gui-address', address])
  try {
    await eventually('the daemon', async () => ((await runCommand(words, { env })).code === 0 ? true : undefined))
    assert.match((await runCommand(words, { env })).out, /The GUI is at http:\/\/127\.0\.0\.1:\d+\/$/m)
  } finally {
    server.kill('SIGTERM')
    await endOf(server)
  }
})
