//! Many short lists in one piece of memory.

/// A list of numbers for each slot. Lists keep some room to grow; one that outgrows its room moves to the end of the memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    spans: Vec<Span>,
    pool: Vec<u32>,
    /// How much of the pool belongs to no list.
    lost: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    len: u32,
    room: u32,
}

/// Room that a list gets beyond what it needs.
const SPARE: u32 = 2;

impl Lists {
    /// Empties all and makes room for lists as long as told.
    pub(super) fn reset(&mut self, lengths: impl Iterator<Item = u32>) {
        self.spans.clear();
        let mut start = 0;
        for len in lengths {
            let room = len + SPARE;
            self.spans.push(Span { start, len: 0, room });
            start += room;
        }
        self.pool.clear();
        self.pool.resize(start as usize, 0);
        self.lost = 0;
    }

    /// Adds a list without entries.
    pub(super) fn push_list(&mut self) {
        self.spans.push(Span::default());
    }

    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> &[u32] {
        let span = self.spans[slot];
        &self.pool[span.start as usize..][..span.len as usize]
    }

    pub(super) fn push(&mut self, slot: usize, entry: u32) {
        let span = &mut self.spans[slot];
        if span.len == span.room {
            let (from, len) = (span.start as usize, span.len as usize);
            self.lost += len;
            span.start = self.pool.len() as u32;
            span.room = 2 * span.len + 4;
            self.pool.extend_from_within(from..from + len);
            self.pool.resize((span.start + span.room) as usize, 0);
        }
        self.pool[(span.start + span.len) as usize] = entry;
        span.len += 1;
    }

    /// Removes an entry by its place in the list; the last takes its place.
    pub(super) fn remove(&mut self, slot: usize, place: usize) {
        let span = &mut self.spans[slot];
        span.len -= 1;
        let start = span.start as usize;
        self.pool[start + place] = self.pool[start + span.len as usize];
    }

    /// Puts the lists together again, with `spare` for memory.
    pub(super) fn compact(&mut self, spare: &mut Self) {
        std::mem::swap(self, spare);
        self.reset(spare.spans.iter().map(|span| span.len));
        for (slot, span) in self.spans.iter_mut().enumerate() {
            let list = spare.of(slot);
            span.len = list.len() as u32;
            self.pool[span.start as usize..][..list.len()].copy_from_slice(list);
        }
    }

    /// Whether more memory is lost than used.
    pub(super) fn is_wasteful(&self) -> bool {
        self.lost > self.pool.len() / 2 + 1024
    }

    pub(super) fn bytes(&self) -> usize {
        self.spans.capacity() * size_of::<Span>() + 4 * self.pool.capacity()
    }
}
