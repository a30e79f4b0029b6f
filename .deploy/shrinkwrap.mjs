/** The entry of the package that a package at a path gets by a name: that of the nearest node_modules, as Node finds it. */
const find = (packages, path, name) => {
  const entry = `${path === "" ? "" : `${path}/`}node_modules/${name}`
  if (entry in packages) return entry
  return path === "" ? undefined : find(packages, path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name)
}

/**
 * What of a lock file the dependencies of a package need, with their hashes, as the package's npm-shrinkwrap.json: npm packs
 * that one, and never a package-lock.json.
 */
export const shrinkwrap = (manifest, { lockfileVersion, packages }) => {
  const { bin, dependencies, engines, license, name, optionalDependencies, version } = manifest
  const root = { name, version, license, dependencies, bin, engines, optionalDependencies }
  // It grows while it is read, until nothing needs anything else.
  const needed = new Set([""])
  for (const path of needed) {
    const entry = path === "" ? root : packages[path]
    const required = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
    for (const dependency of [...required, ...Object.keys(entry.peerDependencies ?? {})]) {
      const found = find(packages, path, dependency)
      if (found !== undefined) needed.add(found)
      else if (required.includes(dependency)) throw new Error(`package-lock.json lacks ${dependency}: npm run lock`)
    }
  }
  const entries = Object.entries(packages).flatMap(([path, { devOptional, ...entry }]) => {
    if (path === "" || !needed.has(path)) return []
    return [[path, devOptional === true ? { ...entry, optional: true } : entry]]
  })
  return { name, version, lockfileVersion, requires: true, packages: { "": root, ...Object.fromEntries(entries) } }
}
