/** Milliseconds that this process has worked: unlike those of the clock the same beside other work. */
export function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
