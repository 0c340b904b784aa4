//! Result pages: Markdown with tables and figures, and lines with the machine, the date and the
//! command of the run.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use impinge_chart::Chart;

/// A result page under construction: `NAME.md`, with its figures in `NAME-FIGURE.svg`.
#[derive(Debug)]
pub(crate) struct Report {
    folder: PathBuf,
    name: String,
    text: String,
}

impl Report {
    /// Begins a report with its title and the lines on command, date and machine.
    pub(crate) fn new(folder: &Path, name: &str, title: &str) -> Self {
        let text = format!(
            "# {title}\n\n```sh\n{}\n```\n\nMeasured on {}, {}{}.\n\n",
            command(),
            today(),
            machine(),
            load()
        );
        Self { folder: folder.to_owned(), name: name.to_owned(), text }
    }

    /// Adds a heading of the second level.
    pub(crate) fn heading(&mut self, text: &str) {
        self.paragraph(&format!("## {text}"));
    }

    /// Adds a paragraph.
    pub(crate) fn paragraph(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push_str("\n\n");
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, table: &Table) {
        self.paragraph(&table.markdown());
    }

    /// Writes a chart to a file next to the report and embeds it.
    pub(crate) fn figure(&mut self, figure: &str, alt: &str, chart: &Chart) -> Result<()> {
        let file = format!("{}-{figure}.svg", self.name);
        write(&self.folder.join(&file), &chart.svg())?;
        self.paragraph(&format!("![{alt}]({file})"));
        Ok(())
    }

    /// Writes the Markdown file and returns its path.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        let path = self.folder.join(format!("{}.md", self.name));
        write(&path, &format!("{}\n", self.text.trim_end()))?;
        Ok(path)
    }
}

/// For tables that are written cell by cell.
impl std::fmt::Write for Report {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("{}: not writable", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("{}: not writable", path.display()))
}

/// A table in Markdown; the first column is aligned left, the others right.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    columns: usize,
    text: String,
}

impl Table {
    /// A table with these column headings and no rows.
    pub(crate) fn new<S: AsRef<str>>(headings: impl IntoIterator<Item = S>) -> Self {
        let mut table = Self::default();
        let headings: Vec<String> =
            headings.into_iter().map(|heading| heading.as_ref().to_owned()).collect();
        table.columns = headings.len();
        table.row(&headings);
        let rule: String =
            (0..headings.len()).map(|i| if i == 0 { " --- |" } else { " ---: |" }).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table.text, "|{rule}");
        table
    }

    /// Adds a row; missing cells at the end stay empty.
    pub(crate) fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut count = 0;
        self.text.push('|');
        for cell in cells {
            let _ = write!(self.text, " {} |", cell.as_ref().replace('|', "\\|"));
            count += 1;
        }
        for _ in count..self.columns {
            self.text.push_str("  |");
        }
        self.text.push('\n');
    }

    /// The table's text.
    pub(crate) fn markdown(&self) -> String {
        self.text.clone()
    }
}

/// A number with three significant digits, or with all digits before the point if there are more.
/// Five and more digits before the point are grouped by commas.
pub(crate) fn short(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return if value == 0.0 { "0".to_owned() } else { "\u{2013}".to_owned() };
    }
    let decimals = (2 - value.abs().log10().floor() as i64).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(w, f)| (w, f));
    let whole = thousands(whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// A count with a comma between groups of three digits, if it has five digits or more.
pub(crate) fn count(value: u64) -> String {
    thousands(&value.to_string())
}

fn thousands(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |d| ("-", d));
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 && digits.len() > 4 {
            out.push(',');
        }
        out.push(c);
    }
    format!("{sign}{out}")
}

/// The name of the processor, and the number of cores this process may use.
pub(crate) fn machine() -> String {
    let model = fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| model_name(&text))
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{model}, {cores} {}", if cores == 1 { "core" } else { "cores" })
}

/// The load average of the last minute, on Linux. If it exceeds the number of cores, the measured
/// times are too long.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().map_or_else(String::new, |load| format!(", load {load}"))
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

/// The day in UTC, as year-month-day.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The Gregorian date of a day counted from 1970-01-01 (Richards' algorithm in the form with a year
/// that begins in March).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (400 * era + year_of_era + u64::from(month <= 2), month, day)
}

/// The command line that repeats this run.
pub(crate) fn command() -> String {
    let quoted = std::env::args().skip(1).map(|argument| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    });
    let mut words = vec!["cargo run --release -p impinge-lab --".to_owned()];
    words.extend(quoted);
    words.join(" ")
}

/// Measures the processor time of this thread, on which other processes have less influence than on
/// wall time. Falls back to wall time on systems that do not report processor time.
#[derive(Debug)]
pub(crate) struct CpuClock {
    cpu: Duration,
    wall: Instant,
}

impl CpuClock {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self { cpu: thread_time(), wall: Instant::now() }
    }

    /// Seconds since the start: the smaller of both times, so that the system calls that read the
    /// processor time do not count in short spans.
    pub(crate) fn seconds(&self) -> f64 {
        let wall = self.wall.elapsed();
        wall.min(thread_time().saturating_sub(self.cpu)).as_secs_f64()
    }
}

/// Measures the processor time of all threads of this process together, or wall time if the system
/// does not provide it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessClock {
    wall: Instant,
    cpu: Option<f64>,
}

impl ProcessClock {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self { wall: Instant::now(), cpu: process_cpu_seconds() }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.cpu, process_cpu_seconds()) {
            (Some(start), Some(end)) => end - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// The processor time of this process in seconds.
#[cfg(unix)]
fn process_cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn process_cpu_seconds() -> Option<f64> {
    None
}

/// The processor time of this thread.
#[cfg(unix)]
pub(crate) fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Without a clock of the thread, the wall clock.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Reports on standard error which step begins, and the seconds since the first one.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    done: usize,
    steps: usize,
}

impl Progress {
    /// Progress over this many steps.
    pub(crate) fn new(steps: usize) -> Self {
        Self { started: Instant::now(), done: 0, steps }
    }

    /// Reports that a step begins.
    #[expect(clippy::print_stderr, reason = "progress belongs on standard error")]
    pub(crate) fn step(&mut self, what: &str) {
        self.done += 1;
        let seconds = self.started.elapsed().as_secs_f64();
        eprintln!("[{:>3}/{} {seconds:7.1} s] {what}", self.done, self.steps.max(self.done));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits_and_all_before_the_point() {
        assert_eq!(short(0.001_234_5), "0.00123");
        assert_eq!(short(12.345), "12.3");
        assert_eq!(short(1234.5), "1234");
        assert_eq!(short(143_690.0), "143,690");
        assert_eq!(short(-12_345.6), "-12,346");
        assert_eq!(short(0.0), "0");
        assert_eq!(short(f64::NAN), "\u{2013}");
        assert_eq!(count(1_137_116), "1,137,116");
        assert_eq!(count(2000), "2000");
    }

    #[test]
    fn days_are_converted_to_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_772), (2026, 11, 15));
    }

    #[test]
    fn processor_time_does_not_exceed_wall_time() {
        let clock = CpuClock::start();
        let start = Instant::now();
        let mut sum = 0_u64;
        while start.elapsed().as_secs_f64() < 0.05 {
            sum = std::hint::black_box(sum + 1);
        }
        let seconds = clock.seconds();
        assert!(seconds > 0.0 && seconds <= clock.wall.elapsed().as_secs_f64(), "{seconds}");
    }

    #[test]
    fn the_process_clock_includes_other_threads() {
        let clock = ProcessClock::start();
        let spin = || {
            let start = Instant::now();
            let mut sum = 0_u64;
            while start.elapsed().as_secs_f64() < 0.2 {
                sum = std::hint::black_box(sum + 1);
            }
        };
        std::thread::spawn(spin).join().unwrap();
        assert!(clock.cpu.is_none() || clock.seconds() > 0.0);
    }

    #[test]
    fn the_processor_name_is_read() {
        let text = "processor\t: 0\nmodel name\t: Some CPU   @ 2 GHz\nflags: x\n";
        assert_eq!(model_name(text).as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(model_name("nothing"), None);
    }

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new(["a", "b", "c"]);
        table.row(["x|y", "1"]);
        assert_eq!(table.markdown(), "| a | b | c |\n| --- | ---: | ---: |\n| x\\|y | 1 |  |\n");
    }

    #[test]
    fn a_report_is_written_with_its_figure() {
        use impinge_chart::{Axis, Mark};

        let folder =
            std::env::temp_dir().join(format!("impinge-lab-report-{}", std::process::id()));
        let mut report = Report::new(&folder, "trial", "A trial");
        let chart = Chart::new("t", Axis::linear("x"), Axis::linear("y")).series(
            "s",
            Mark::Line,
            vec![(0.0, 1.0), (1.0, 2.0)],
        );
        report.figure("one", "a line", &chart).unwrap();
        let path = report.finish().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# A trial\n") && text.contains("![a line](trial-one.svg)"));
        assert!(fs::read_to_string(folder.join("trial-one.svg")).unwrap().starts_with("<svg"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
