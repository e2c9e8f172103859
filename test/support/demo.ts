import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endOf, startCommand, type CommandOptions } from './command.ts'
import { eventually } from './scratch.ts'

const END_MS_MAX = 15_000

/** A running `twinfold demo`. Ends with the scope that holds it. */
export interface Demo extends AsyncDisposable {
  readonly child: ChildProcess
  readonly directory: string
  readonly pages: readonly { readonly name: string; readonly url: string }[]
  readonly output: string
  /** Sends a request to the first device; the JSON of a successful response. */
  get(path: string): Promise<Record<string, unknown>>
  post(path: string, body?: unknown): Promise<void>
}

/** Starts it below a directory of the test, and resolves when it has printed the addresses of its pages. */
export async function startDemo(scratch: string, options: CommandOptions = {}): Promise<Demo> {
  const child = startCommand(['demo', '--no-browser'], { ...options, env: { ...options.env, TMPDIR: scratch } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX)
    await endOf(child)
    clearTimeout(timer)
  }
  try {
    const directory = await eventually(
      'the directory of the demo',
      () => {
        if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`)
        return output.includes('Ctrl+C') ? /^(\/\S*twinfold-demo-\w+)/m.exec(output)?.[1] : undefined
      },
      60_000,
    )
    const pages = [...output.matchAll(/^ {2}(\w+) +(http:\S+)/gm)].map(([, name = '', url = '']) => ({ name, url }))
    const ask = async (method: string, path: string, body?: unknown) => {
      const config = readFileSync(join(directory, 'Laptop', '.twinfold', 'config.xml'), 'utf8')
      const key = /<apikey>([^<]+)</.exec(config)?.[1] ?? ''
      const reply = await fetch(new URL(path, pages[0]?.url), {
        method,
        headers: { 'X-API-Key': key },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
      return text
    }
    return {
      child,
      directory,
      pages,
      get output() {
        return output
      },
      get: async (path) => JSON.parse(await ask('GET', path)) as Record<string, unknown>,
      post: async (path, body) => void (await ask('POST', path, body)),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw new Error(`the demo does not start; its output:\n${output}`, { cause: error })
  }
}
