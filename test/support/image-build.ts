/** Performs the steps of a Containerfile in directories, each stage in one of its own. */
import { cpSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, matchesGlob, resolve } from 'node:path'
import type { ContainerMachine, InMachine } from './container-machine.ts'
import { variablesOf, type ImageStage } from './containerfile.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export interface StageBuild {
  readonly machine: ContainerMachine
  /** The root of the stage. */
  readonly root: string
  /** Where another stage is, or what stands in for its result: the directory of a path in it. */
  readonly fromStage: (stage: string, path: string) => string
  /** Of the engine, for all steps that run. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Every step, in its order. */
export async function buildStage({ steps }: ImageStage, build: StageBuild): Promise<void> {
  let directory = '/'
  const environment: Record<string, string> = {}
  for (const { instruction, text } of steps) {
    if (instruction === 'ENV') Object.assign(environment, Object.fromEntries(variablesOf(text)))
    else if (instruction === 'WORKDIR') {
      directory = resolve(directory, text)
      mkdirSync(join(build.root, directory), { recursive: true })
    } else if (instruction === 'COPY') copyStep(text, directory, build)
    else await runStep(text, build, { environment: { ...build.environment, ...environment }, directory })
  }
}

async function runStep(text: string, { machine }: StageBuild, options: InMachine): Promise<void> {
  const { code, out, err } = await machine.run(['sh', '-c', text], options)
  if (code !== 0) throw new Error(`RUN ${text} failed with ${code}:\n${out}${err}`)
}

function copyStep(text: string, directory: string, { root, fromStage }: StageBuild): void {
  const words = text.split(/\s+/)
  const from = words[0]?.startsWith('--from=') === true ? words.shift()?.slice('--from='.length) : undefined
  const target = words.pop() ?? ''
  const place = join(root, resolve(directory, target))
  for (const word of words) {
    if (from === undefined && word === '.') copyContext(place)
    else {
      const source = from === undefined ? join(ROOT, word) : fromStage(from, word)
      const isFile = statSync(source).isFile()
      cpSync(source, isFile && target.endsWith('/') ? join(place, basename(word)) : place, { recursive: true })
    }
  }
}

/** The clone as the engine gets it: without what `.containerignore` leaves out. */
function copyContext(place: string): void {
  const lines = readFileSync(join(ROOT, '.containerignore'), 'utf8').split('\n')
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const isIncluded = (path: string) => {
    let included = true
    for (const rule of rules) {
      const pattern = rule.replace(/^!/, '')
      if (matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`)) included = rule.startsWith('!')
    }
    return included
  }
  const exclude = (name: string) => basename(name) === 'node_modules' || name === '.git'
  for (const path of globSync('**/*', { cwd: ROOT, exclude }))
    if (statSync(join(ROOT, path)).isFile() && isIncluded(path)) cpSync(join(ROOT, path), join(place, path))
}
