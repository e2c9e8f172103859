import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { singleFileArchive } from '../src/core/releases/installation.ts'
import { manifest, root } from './manifest.ts'
import { NOTICES_FILE } from './package-build.ts'
import { buildSingleFile, NODE_LICENCE_FILE, nodeLicence, type SingleFilePlatform } from './single-file.ts'
import { zipArchive } from './zip.ts'

/** As npm dates the files of a package. */
const PACKED_TIME_S = 499_162_500
/** What people with a slow line or a small machine may be asked to download. */
const ARCHIVE_BYTES_MAX = 45_000_000

/** Builds the executable of a platform and packs it with its licences and its man page. Returns the archive's name. */
export async function packSingleFile(platform: SingleFilePlatform, directory: string): Promise<string> {
  const archive = singleFileArchive(manifest.version, platform)
  const scratch = mkdtempSync(join(tmpdir(), 'twinfold-archive-'))
  const name = archive.replace(/\.(?:tar\.xz|zip)$/, '')
  const content = join(scratch, name)
  try {
    mkdirSync(content)
    const isWindows = platform.startsWith('win-')
    await buildSingleFile(platform, join(content, isWindows ? 'twinfold.exe' : 'twinfold'))
    const documents = [
      join(root, 'LICENSE'),
      join(root, 'dist', NOTICES_FILE),
      ...(isWindows ? [] : [join(root, 'dist', 'man', 'twinfold.1')]),
    ]
    for (const file of documents) copyFileSync(file, join(content, basename(file)))
    copyFileSync(nodeLicence(), join(content, NODE_LICENCE_FILE))
    if (isWindows) writeZip(content, name, join(directory, archive))
    else writeTar(scratch, name, join(directory, archive))
    const { size } = statSync(join(directory, archive))
    if (size > ARCHIVE_BYTES_MAX) throw new Error(`${archive} has ${size} bytes, more than ${ARCHIVE_BYTES_MAX}`)
    return archive
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function writeZip(content: string, name: string, file: string): void {
  const names = readdirSync(content).sort()
  writeFileSync(
    file,
    zipArchive(names.map((each) => ({ name: `${name}/${each}`, data: readFileSync(join(content, each)) }))),
  )
}

/** The same bytes for the same contents. Two threads, because the blocks of one thread are others. */
function writeTar(directory: string, name: string, file: string): void {
  const tar = join(directory, 'archive.tar')
  const owner = ['--owner=0', '--group=0', '--numeric-owner']
  run('tar', [
    '-c',
    '-f',
    tar,
    '--format=ustar',
    '--sort=name',
    `--mtime=@${PACKED_TIME_S}`,
    ...owner,
    '-C',
    directory,
    name,
  ])
  run('xz', ['-6', '-T2', tar])
  copyFileSync(`${tar}.xz`, file)
}

function run(program: string, args: readonly string[]): void {
  const result = spawnSync(program, args, { stdio: ['ignore', 2, 2] })
  if (result.status !== 0)
    throw new Error(`${program} failed: ${result.error?.message ?? 'see above'}; Debian has it in tar, xz-utils`)
}
