/** In milliseconds. Other work on the machine does not count. */
export const cpuMillis = (run: () => void): number => {
  const before = process.threadCpuUsage()
  run()
  const { system, user } = process.threadCpuUsage(before)
  return (system + user) / 1000
}
