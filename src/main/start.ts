import { basename } from 'node:path'
import { messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import type { Clock } from '../world/clock.ts'
import { splitCommandLine, takeDaemonChoice, type LocalCommand } from './command-line.ts'
import { DEMO_FLAGS, readDemoOptions } from './demo-flags.ts'
import { readFlags, type Flag } from './flags.ts'
import { EXIT, type ExitCode } from './options.ts'
import { DIRECTORY_FLAGS, GENERATE_FLAGS, GUI_FLAGS, UPGRADE_FLAGS } from './serve-flags.ts'
import {
  parseServeWords,
  readDirectories,
  type Action,
  type DirectoryChoice,
  type ServeRequest,
} from './serve-options.ts'

const HELP: Flag = { name: 'help', short: 'h' }
const JSON_FLAG: Flag = { name: 'json' }

/** Installations that come from Syncthing call us by its name, and their scripts look for it in our messages. */
const program = basename(process.argv[1] ?? '').startsWith('syncthing') ? 'syncthing' : 'twinfold'

const print = (text: string) => void process.stdout.write(`${text}\n`)
const complain = (text: string) => void process.stderr.write(`${text}\n`)

/** Runs the command in the words, to its exit code. What one command needs is loaded by that command alone. */
export async function start(words: readonly string[]): Promise<void> {
  try {
    await dispatch(words)
  } catch (error) {
    process.exitCode = EXIT.error
    // What the outside did wrong is a sentence; anything else is a bug, and its trace is for the person who mends it.
    if (!(error instanceof TwinfoldError) && !/^E[A-Z\d]+$/.test(systemCode(error) ?? '')) throw error
    complain(`${program}: error: ${messageOf(error)}`)
    if (error instanceof TwinfoldError && error.code === 'usage')
      complain(`Run "${program} --help" to see all commands, "${program} COMMAND --help" for one.`)
  }
}

async function dispatch(words: readonly string[]): Promise<void> {
  const line = splitCommandLine(words)
  if (line.kind === 'remote' || line.kind === 'cli') {
    const code = await (line.kind === 'cli' ? askAsSyncthing(line.words) : askDaemon(line.words))
    // Everything is said once this empty write is through; what still waits for the daemon must not keep a person waiting.
    process.stdout.write('', () => process.exit(code))
  } else if (line.kind === 'reset-database') {
    await actOn('reset-database', line.words)
  } else if (line.command === 'serve') {
    await serveOrAct(line.words, words.includes('serve') ? 'serve' : 'help')
  } else {
    await actOn(line.command, line.words)
  }
}

async function askDaemon(words: readonly string[]): Promise<number> {
  const { choice, words: others } = takeDaemonChoice(words, process.env)
  const [{ runCli }, { terminalContext }, { connectDaemon }] = await Promise.all([
    import('../cli/program.ts'),
    import('../cli/terminal.ts'),
    import('./find-daemon.ts'),
  ])
  return runCli(
    terminalContext(program, () => connectDaemon(choice)),
    others,
  )
}

/** The `cli` tree, for scripts: its words, its output and its exit codes are Syncthing's. */
async function askAsSyncthing(words: readonly string[]): Promise<number> {
  const { choice, words: others } = takeDaemonChoice(words, process.env, 'in-front')
  if ((choice.guiAddress === undefined) !== (choice.guiApiKey === undefined)) {
    throw new TwinfoldError('bad-request', 'Both --gui-address and --gui-apikey should be specified')
  }
  const [{ runTree }, { terminalContext }, { connectDaemon }] = await Promise.all([
    import('../cli/tree.ts'),
    import('../cli/terminal.ts'),
    import('./find-daemon.ts'),
  ])
  return runTree(
    terminalContext(program, () => connectDaemon(choice)),
    others,
  )
}

async function serveOrAct(words: readonly string[], helpPage: LocalCommand): Promise<void> {
  const parsed = parseServeWords(words, process.env)
  if (parsed.kind === 'action') {
    return parsed.action === 'help'
      ? printHelp(helpPage)
      : act(parsed.action, { directories: parsed.directories, values: parsed.values ?? new Map() })
  }
  const code = await runServe(parsed.request)
  // Threads and sockets that did not end in time must not keep the process.
  process.exit(code)
}

async function runServe(request: ServeRequest): Promise<ExitCode> {
  // The log goes on into its ring and its file when nobody reads the output any more.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const [{ createRealWorld }, { runDaemon }, { serve }, { locateHome }] = await Promise.all([
    import('../world/real/world.ts'),
    import('./daemon.ts'),
    import('./serve.ts'),
    import('./home.ts'),
  ])
  const options = { ...request.options, locations: locateHome(request.directories, request) }
  await using world = createRealWorld()
  const onSignal = (name: NodeJS.Signals, listener: () => void) => {
    process.on(name, listener)
    return { [Symbol.dispose]: () => void process.off(name, listener) }
  }
  const ourProcess = {
    onSignal,
    leave: (code: ExitCode) => process.exit(code),
    complain: (text: string) => complain(`${program}: ${text}`),
  }
  const deps = { clock: world.clock, process: ourProcess, runDaemon: runDaemon.bind(undefined, world) }
  const ended = new AbortController()
  if (options.openBrowser) void openBrowserOnceReady(request, world.clock, ended.signal)
  try {
    return await serve(deps, options, request.restarts) // not before it ends may the world be closed
  } finally {
    ended.abort()
  }
}

const READY_POLL_MS = 200
const READY_POLLS_MAX = 150

/** A convenience: whatever goes wrong here must not touch the daemon, whose log says where the GUI is. */
async function openBrowserOnceReady(request: ServeRequest, clock: Clock, signal: AbortSignal): Promise<void> {
  const [{ connectDaemon }, { openBrowser }] = await Promise.all([import('./find-daemon.ts'), import('./browser.ts')])
  const { directories, options } = request
  const choice = { directories, ...(options.guiAddress !== undefined && { guiAddress: options.guiAddress }) }
  for (let poll = 0; poll < READY_POLLS_MAX && !signal.aborted; poll++) {
    try {
      const { client, address } = await connectDaemon(choice)
      await client.ping()
      return void (await openBrowser(`${address}/`))
    } catch {
      await clock.sleep(READY_POLL_MS, signal).catch(() => {}) // not there yet; the loop ends with the signal
    }
  }
}

/** What a command that needs no daemon was told. */
interface Told {
  readonly directories: DirectoryChoice
  readonly values: ReadonlyMap<string, string>
}

const FLAGS: Readonly<Record<Exclude<LocalCommand, 'serve' | 'service'> | 'reset-database', readonly Flag[]>> = {
  demo: DEMO_FLAGS,
  generate: GENERATE_FLAGS,
  'device-id': DIRECTORY_FLAGS,
  paths: DIRECTORY_FLAGS,
  version: DIRECTORY_FLAGS,
  browser: [...DIRECTORY_FLAGS, ...GUI_FLAGS],
  upgrade: UPGRADE_FLAGS,
  'reset-database': DIRECTORY_FLAGS,
  'install-completions': [],
  help: [],
}

async function actOn(
  command: Exclude<LocalCommand, 'serve'> | 'reset-database',
  words: readonly string[],
): Promise<void> {
  if (command === 'service') return manageService(words)
  const { values, words: others } = readFlags([...FLAGS[command], HELP, JSON_FLAG], words, process.env)
  if (values.get('help') === 'true' || command === 'help') return printHelp(command)
  if (command === 'install-completions') return installCompletions(others)
  if (others[0] !== undefined) throw new TwinfoldError('usage', `unexpected argument ${others[0]}`)
  if (command === 'demo') return runDemo(values)
  await act(command, { directories: readDirectories(values), values })
}

async function runDemo(values: ReadonlyMap<string, string>): Promise<void> {
  const options = readDemoOptions(values)
  // Devices go on when nobody reads the output any more, as those of "serve" do.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const { demo } = await import('./demo-command.ts')
  const code = await demo(options, { print, complain: (text) => complain(`${program}: ${text}`) })
  // Threads and sockets that did not end in time must not keep the process.
  process.exit(code)
}

async function manageService(words: readonly string[]): Promise<void> {
  const { service } = await import('./service/service.ts')
  const code = await service(words, { print, complain })
  if (code === 'help') return printHelp('service')
  process.exitCode = code
}

async function installCompletions([shell, ...others]: readonly string[]): Promise<void> {
  if (others[0] !== undefined) throw new TwinfoldError('usage', `unexpected argument ${others[0]}`)
  const [{ completions }, { terminalContext }] = await Promise.all([
    import('./completions.ts'),
    import('../cli/terminal.ts'),
  ])
  const context = terminalContext(program, () => Promise.reject(new Error('nobody is asked')))
  print(completions(context, shell, process.env['SHELL']))
}

async function printHelp(command: LocalCommand | 'reset-database'): Promise<void> {
  const { commandHelp } = await import('./help.ts')
  print(commandHelp(program, command))
}

async function act(action: Exclude<Action, 'help'>, told: Told): Promise<void> {
  const json = told.values.get('json') === 'true'
  const show = (value: object, text: string) => print(json ? JSON.stringify(value, undefined, 2) : text)
  switch (action) {
    case 'version': {
      const [{ versionFacts }, { versionJson }, { endianness }] = await Promise.all([
        import('./version.ts'),
        import('../http/version.ts'),
        import('node:os'),
      ])
      const facts = versionFacts(
        { platform: process.platform, architecture: process.arch, endianness: endianness() },
        process.env['STVERSIONEXTRA'] ?? '',
      )
      const version = versionJson(facts)
      return show(version, version.longVersion.replace(/^\w+/, program))
    }
    case 'paths': {
      const [{ pathsText, pathSections }, { locateHome }] = await Promise.all([
        import('./local-commands.ts'),
        import('./home.ts'),
      ])
      const locations = locateHome(told.directories)
      return show(
        Object.fromEntries(pathSections(locations).map(([title, ...paths]) => [title, paths])),
        pathsText(locations).trimEnd(),
      )
    }
    case 'device-id': {
      const id = await (await import('./local-commands.ts')).deviceId(told.directories)
      return show({ deviceID: id }, id)
    }
    case 'generate': {
      const guiUser = told.values.get('gui-user')
      const guiPassword = told.values.get('gui-password')
      const options = {
        directories: told.directories,
        portProbing: told.values.get('no-port-probing') !== 'true',
        ...(guiUser !== undefined && { guiUser }),
        ...(guiPassword !== undefined && { guiPassword }),
      }
      const id = await (await import('./local-commands.ts')).generate(options, complain)
      return show({ deviceID: id }, `Device ID: ${id}`)
    }
    case 'reset-database': {
      const path = await (await import('./local-commands.ts')).resetDatabase(told.directories)
      return show({ removed: path }, `Removed the index in ${path}; the next start scans everything again`)
    }
    case 'browser':
      return showInBrowser(told, show)
    case 'upgrade': {
      const { upgradeCommand } = await import('./upgrade-command.ts')
      process.exitCode = await upgradeCommand(told, { print, printError: complain })
    }
  }
}

async function showInBrowser(told: Told, show: (value: object, text: string) => void): Promise<void> {
  const [{ findDaemon }, { openBrowser }, { endpointText }] = await Promise.all([
    import('./find-daemon.ts'),
    import('./browser.ts'),
    import('../client/endpoint.ts'),
  ])
  const guiAddress = told.values.get('gui-address')
  const { endpoint } = await findDaemon({
    directories: told.directories,
    ...(guiAddress !== undefined && { guiAddress }),
  })
  const url = `${endpointText(endpoint)}/`
  if (endpoint.socketPath !== undefined) {
    throw new TwinfoldError(
      'bad-request',
      `the GUI is at ${url}, where no browser can look; give it a host and port with --gui-address`,
    )
  }
  const opened = await openBrowser(url)
  show({ url, opened }, opened ? `Opening ${url}` : `No browser could be started. The GUI is at ${url}`)
}
