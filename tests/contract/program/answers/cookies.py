"""Cookies: what is sent again, and until when."""
from answers import LEAF, page


def _sent_after(site, fields, *options):
    """What /last gets after / set a cookie `s` and /set answered with these fields."""
    site.serve({'/': page('/set', fields=['Set-Cookie: s=1; Path=/']), '/set': page('/last', fields=fields), '/last': LEAF})
    run = site.crawl('--ignore-robots', '--cookies', site.path('none.txt', ''), *options)
    return [r.all('Cookie') for r in run.requests if r.target == '/last'][-1]


def _expires(*dates):
    return ['Set-Cookie: c%d=1; Path=/; Expires=%s' % (i, d) for i, d in enumerate(dates)]


def deleted_by_a_year_of_two_digits(site):
    """1970 and 1999, not 2070 and 2099 (Chromium: the same)"""
    for date in 'Thu, 01-Jan-1970 00:00:01 GMT', 'Thu, 01-Jan-70 00:00:01 GMT', 'Fri, 31-Dec-99 23:59:59 GMT':
        sent = _sent_after(site, ['Set-Cookie: s=; Path=/; Expires=' + date])
        assert sent == [], (date, sent)
        site.dir += 'x'


def a_year_of_two_digits_to_come(site):
    """69 is 2069"""
    sent = _sent_after(site, _expires('Tue, 01-Jan-69 00:00:00 GMT', 'Tue, 01 Jan 69 00:00:00 GMT'))
    assert sent == ['s=1; c0=1; c1=1'], sent


def dates_in_the_past(site):
    """none of these is kept"""
    sent = _sent_after(site, _expires('4 July 2004 4:4:4', 'Sun Jul  4 04:04:04 2004', 'July/4/2004/04:04:04', '2004 4 jul 4:4:4 PST',
                                      'Sun, 4-JUL-04 04:04:04'))
    assert sent == ['s=1'], sent


def dates_that_are_none(site):
    """as if there were no Expires: all are kept"""
    sent = _sent_after(site, _expires('2004-07-04', '4 Jul 2004', '4 Jul 04:04:04', '31 Jun 2004 04:04:04', '1088913844', 'never'))
    assert sent == ['s=1; c0=1; c1=1; c2=1; c3=1; c4=1; c5=1'], sent


def an_age_counts_more_than_a_date(site):
    """Max-Age, wherever it is, and if it is a number"""
    sent = _sent_after(site, ['Set-Cookie: a=1; Max-Age=99; Expires=4 Jul 2004 4:4:4', 'Set-Cookie: b=1; Expires=4 Jul 2004 4:4:4; Max-Age=99',
                              'Set-Cookie: c=1; Expires=4 Jul 2004 4:4:4; Max-Age=+99', 'Set-Cookie: d=1; Expires=4 Jul 2044 4:4:4; Max-Age=-9'])
    assert sent == ['s=1; a=1; b=1'], sent


def of_a_file_replaced_and_deleted(site):
    """a server has the last word of a cookie of --cookies FILE, of a host or (for an address that is the same) of a domain"""
    site.serve({'/': page('/set'), '/last': LEAF, '/set': page('/last', fields=[
        'Set-Cookie: turn=2; Path=/', 'Set-Cookie: gone=; Path=/; Max-Age=0', 'Set-Cookie: wide=2; Path=/; Domain=127.0.0.1',
        'Set-Cookie: old=x; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'Set-Cookie: deep=2; Path=/last'])})
    names = (('turn', 'FALSE'), ('gone', 'FALSE'), ('wide', 'TRUE'), ('old', 'TRUE'), ('stays', 'FALSE'), ('deep', 'FALSE'))
    jar = ''.join('127.0.0.1\t%s\t/\tFALSE\t0\t%s\t1\n' % (flag, name) for name, flag in names)
    run = site.crawl('--ignore-robots', '--cookies', site.path('jar', jar))
    sent = {r.target: r.get('Cookie') for r in run.requests}
    assert sent['/'] == 'turn=1; gone=1; wide=1; old=1; stays=1; deep=1', sent
    assert sent['/last'] == 'deep=2; turn=2; wide=2; stays=1; deep=1', sent
