//! The instant of each arrival as the server saw it: little-endian `u64`, ns since the start.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A buffered log. Its first fault ends it and is reported by [`Self::finish`].
pub(crate) struct ArrivalLog {
    file: BufWriter<File>,
    fault: Option<io::Error>,
}

impl ArrivalLog {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(File::create(path)?), fault: None })
    }

    pub(crate) fn record(&mut self, seen_ns: u64) {
        if self.fault.is_none() {
            self.fault = self.file.write_all(&seen_ns.to_le_bytes()).err();
        }
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.fault.map_or_else(|| self.file.flush(), Err)
    }
}
