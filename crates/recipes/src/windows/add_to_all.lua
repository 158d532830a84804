-- KEYS: buckets, each of which is contained in all after it: a minute, its hour, its day and its month, or some of them.
-- ARGV: for each bucket the time until which it is kept, or an empty string if it does not expire; and the users.
-- Replies with an answer for each user, and with the error for the first user that the first bucket did not accept, or an
-- empty string: the answers end before that user. An answer is 0 if no bucket is kept any longer, 1 if no bucket changed, 2
-- if a bucket changed.
local first, last = #KEYS + 1, #ARGV
-- The previous values of the buckets that were read; whether they exist, and whether they were written.
local held, exists, written = {}, {}, {}

-- Runs PFADD on a bucket that exists or is kept. Returns whether it changed, an error, or nil if it is not kept.
local function add(bucket, user)
  local key, kept_until = KEYS[bucket], ARGV[bucket]
  if held[bucket] == nil then
    local value = redis.pcall('GET', key)
    if type(value) == 'table' then return value end
    held[bucket], exists[bucket] = value, value ~= false
  end
  if not exists[bucket] and is_over(kept_until) then return nil end
  local changed = redis.pcall('PFADD', key, user)
  if changed == 1 then written[bucket] = true end
  if changed == 1 and not exists[bucket] then
    exists[bucket] = true
    if kept_until ~= '' then redis.call('PEXPIREAT', key, kept_until) end
  end
  return changed
end

-- Restores the previous values of the buckets from this one on.
local function undo(from)
  for bucket = from, #KEYS do
    if written[bucket] then
      if held[bucket] then
        redis.call('SET', KEYS[bucket], held[bucket], 'KEEPTTL')
      else
        redis.call('DEL', KEYS[bucket])
        exists[bucket] = false
      end
      written[bucket] = nil
    end
  end
end

local answers = {}
-- Adds each user to the buckets after the first, up to the first bucket that already contains the user: all after it do
-- too.
local function add_to_larger(last)
  local found = {}
  for bucket = 2, #KEYS do
    for user = first, last do
      if not found[user] then
        local changed = add(bucket, ARGV[user])
        if type(changed) == 'table' then return changed end
        if changed == 0 then found[user] = true end
        if changed then answers[user] = math.max(answers[user] or 0, changed + 1) end
      end
    end
  end
end

local failed = add_to_larger(last)
if failed then
  undo(1)
  return failed
end
local refused = ''
for user = first, last do
  local changed = add(1, ARGV[user])
  if type(changed) == 'table' then
    if user == first then
      undo(1)
      return changed
    end
    refused, last = changed.err, user - 1
    undo(2)
    add_to_larger(last)
    break
  end
  if changed then answers[user] = math.max(answers[user] or 0, changed + 1) end
end
local replies = {}
for user = first, last do
  replies[#replies + 1] = answers[user] or 0
end
return {replies, refused}
