import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installationOf, type InstallationFacts } from '../../../src/core/releases/installation.ts'

const FACTS: InstallationFacts = {
  directory: '/usr/local/lib/node_modules/twinfold',
  platform: 'linux',
  container: false,
  image: false,
  clone: false,
  project: false,
  nodePrefix: '/usr/local',
  writable: true,
}

const CASES: [why: string, facts: Partial<InstallationFacts>, kind: string, command: string | undefined][] = [
  ['npm, where its Node is', {}, 'npm', 'npm install -g twinfold@1.2.0'],
  ['npm, as root', { writable: false }, 'npm', 'sudo npm install -g twinfold@1.2.0'],
  ['npm, elsewhere', { nodePrefix: '/usr' }, 'npm', 'npm install -g --prefix /usr/local twinfold@1.2.0'],
  [
    'npm, a path with a space',
    { directory: "/home/o'n e/lib/node_modules/twinfold" },
    'npm',
    "npm install -g --prefix '/home/o'\\''n e' twinfold@1.2.0",
  ],
  [
    'npm on Windows',
    {
      directory: 'C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\twinfold',
      platform: 'win32',
      nodePrefix: 'C:\\Program Files\\nodejs',
      writable: false,
    },
    'npm',
    'npm install -g --prefix C:\\Users\\me\\AppData\\Roaming\\npm twinfold@1.2.0',
  ],
  [
    'npm on Windows, with a space',
    { directory: 'C:\\Program Files\\nodejs\\node_modules\\twinfold', platform: 'win32', nodePrefix: 'D:\\node' },
    'npm',
    'npm install -g --prefix "C:\\Program Files\\nodejs" twinfold@1.2.0',
  ],
  [
    'a dependency of a project',
    { directory: '/srv/app/node_modules/twinfold', project: true },
    'project',
    'npm install --prefix /srv/app twinfold@1.2.0',
  ],
  [
    'a single file',
    { singleFile: { path: '/usr/local/bin/twinfold', target: 'linux-x64' }, directory: '/home/me/.cache/twinfold/x' },
    'single-file',
    '/usr/local/bin/twinfold upgrade --install twinfold-1.2.0-linux-x64.tar.xz',
  ],
  [
    'a single file of root, in a container',
    { singleFile: { path: '/opt/t w/twinfold', target: 'linux-arm64' }, container: true, writable: false },
    'single-file',
    "sudo '/opt/t w/twinfold' upgrade --install twinfold-1.2.0-linux-arm64.tar.xz",
  ],
  [
    'a single file on Windows',
    { singleFile: { path: 'C:\\Tools\\twinfold.exe', target: 'win-x64' }, platform: 'win32', writable: false },
    'single-file',
    'C:\\Tools\\twinfold.exe upgrade --install twinfold-1.2.0-win-x64.zip',
  ],
  [
    'a single file of a Debian package',
    { singleFile: { path: '/usr/bin/twinfold', target: 'linux-x64' }, debianPackage: 'twinfold' },
    'debian',
    'sudo apt-get update && sudo apt-get install --only-upgrade twinfold',
  ],
  ['npx', { directory: '/home/me/.npm/_npx/abc/node_modules/twinfold', project: true }, 'npx', 'npx twinfold@1.2.0'],
  [
    'pnpm',
    { directory: '/home/me/.local/share/pnpm/global/5/.pnpm/twinfold@1.0.0/node_modules/twinfold' },
    'pnpm',
    'pnpm add -g twinfold@1.2.0',
  ],
  [
    'yarn',
    { directory: '/home/me/.config/yarn/global/node_modules/twinfold', project: true },
    'yarn',
    'yarn global add twinfold@1.2.0',
  ],
  [
    'bun',
    { directory: '/home/me/.bun/install/global/node_modules/twinfold', project: true },
    'bun',
    'bun add -g twinfold@1.2.0',
  ],
  [
    'volta',
    { directory: '/home/me/.volta/tools/image/packages/twinfold/lib/node_modules/twinfold' },
    'volta',
    'volta install twinfold@1.2.0',
  ],
  [
    'Homebrew',
    { directory: '/opt/homebrew/Cellar/twinfold/1.0.0/libexec/lib/node_modules/twinfold', platform: 'darwin' },
    'homebrew',
    'brew upgrade twinfold',
  ],
  [
    'a clone',
    { directory: '/home/me/my twinfold', clone: true },
    'clone',
    "git -C '/home/me/my twinfold' pull --ff-only",
  ],
  [
    'a clone in a container',
    { directory: '/src', clone: true, container: true },
    'clone',
    'git -C /src pull --ff-only',
  ],
  ['our image', { container: true, image: true }, 'container', 'docker compose pull && docker compose up -d'],
  [
    'unpacked in a container',
    { container: true, directory: '/app' },
    'container',
    'docker compose pull && docker compose up -d',
  ],
  ['npm in a third-party container', { container: true }, 'npm', 'npm install -g twinfold@1.2.0'],
  [
    'a Debian package',
    { directory: '/usr/lib/twinfold', debianPackage: 'twinfold' },
    'debian',
    'sudo apt-get update && sudo apt-get install --only-upgrade twinfold',
  ],
  ['unpacked by hand', { directory: '/opt/twinfold' }, 'unknown', undefined],
]
for (const [why, facts, kind, command] of CASES) {
  test(`installation method: ${why}`, () => {
    const installation = installationOf({ ...FACTS, ...facts })
    assert.deepEqual([installation.kind, installation.upgradeCommand('1.2.0')], [kind, command])
  })
}
